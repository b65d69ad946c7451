module @jit_experts attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  sdy.mesh @mesh_0 = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<6x4xf32>, %arg1: tensor<4x4xf32>, %arg2: tensor<4x4x3xf32>) -> (tensor<6x3xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0, %arg1, %arg2) in_shardings=[<@mesh, [{}, {}]>, <@mesh, [{}, {}]>, <@mesh, [{"x"}, {}, {}]>] out_shardings=[<@mesh, [{}, {}]>] manual_axes={"x"} (%arg3: tensor<6x4xf32>, %arg4: tensor<4x4xf32>, %arg5: tensor<1x4x3xf32>) {
      %1 = stablehlo.dot_general %arg3, %arg4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x4xf32>, tensor<4x4xf32>) -> tensor<6x4xf32>
      %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<6x4xf32>, tensor<f32>) -> tensor<6xf32>
      %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %4 = stablehlo.maximum %3, %2 : tensor<6xf32>
      %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
      %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x4xf32>
      %7 = stablehlo.subtract %1, %6 : tensor<6x4xf32>
      %8 = stablehlo.exponential %7 : tensor<6x4xf32>
      %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %9 = stablehlo.reduce(%8 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<6x4xf32>, tensor<f32>) -> tensor<6xf32>
      %10 = stablehlo.broadcast_in_dim %9, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
      %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x4xf32>
      %12 = stablehlo.divide %8, %11 : tensor<6x4xf32>
      %values, %indices = chlo.top_k(%12, k = 2) : tensor<6x4xf32> -> (tensor<6x2xf32>, tensor<6x2xi32>)
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %13 = stablehlo.reduce(%values init: %cst_2) applies stablehlo.add across dimensions = [1] : (tensor<6x2xf32>, tensor<f32>) -> tensor<6xf32>
      %14 = stablehlo.broadcast_in_dim %13, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
      %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x2xf32>
      %16 = stablehlo.divide %values, %15 : tensor<6x2xf32>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %17 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<6x4xf32>
      %18 = stablehlo.iota dim = 0 : tensor<6xi32>
      %19 = stablehlo.broadcast_in_dim %18, dims = [0] : (tensor<6xi32>) -> tensor<6x1xi32>
      %c = stablehlo.constant dense<0> : tensor<i32>
      %20 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6x1xi32>
      %21 = stablehlo.compare LT, %19, %20, SIGNED : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi1>
      %c_4 = stablehlo.constant dense<6> : tensor<i32>
      %22 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<6x1xi32>
      %23 = stablehlo.add %19, %22 : tensor<6x1xi32>
      %24 = stablehlo.select %21, %23, %19 : tensor<6x1xi1>, tensor<6x1xi32>
      %c_5 = stablehlo.constant dense<0> : tensor<i32>
      %25 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<6x2xi32>
      %26 = stablehlo.compare LT, %indices, %25, SIGNED : (tensor<6x2xi32>, tensor<6x2xi32>) -> tensor<6x2xi1>
      %c_6 = stablehlo.constant dense<4> : tensor<i32>
      %27 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<6x2xi32>
      %28 = stablehlo.add %indices, %27 : tensor<6x2xi32>
      %29 = stablehlo.select %26, %28, %indices : tensor<6x2xi1>, tensor<6x2xi32>
      %30 = stablehlo.broadcast_in_dim %24, dims = [0, 1] : (tensor<6x1xi32>) -> tensor<6x2xi32>
      %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1] : (tensor<6x2xi32>) -> tensor<6x2x1xi32>
      %32 = stablehlo.broadcast_in_dim %29, dims = [0, 1] : (tensor<6x2xi32>) -> tensor<6x2x1xi32>
      %33 = stablehlo.concatenate %31, %32, dim = 2 : (tensor<6x2x1xi32>, tensor<6x2x1xi32>) -> tensor<6x2x2xi32>
      %34 = "stablehlo.scatter"(%17, %33, %16) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, unique_indices = false}> ({
      ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
        stablehlo.return %arg7 : tensor<f32>
      }) : (tensor<6x4xf32>, tensor<6x2x2xi32>, tensor<6x2xf32>) -> tensor<6x4xf32>
      %c_7 = stablehlo.constant dense<1> : tensor<ui32>
      %c_8 = stablehlo.constant dense<4> : tensor<ui32>
      %35 = stablehlo.partition_id : tensor<ui32>
      %36 = stablehlo.divide %35, %c_7 : tensor<ui32>
      %37 = stablehlo.remainder %36, %c_8 : tensor<ui32>
      %38 = stablehlo.convert %37 : (tensor<ui32>) -> tensor<i32>
      %c_9 = stablehlo.constant dense<1> : tensor<i32>
      %39 = stablehlo.multiply %38, %c_9 : tensor<i32>
      %c_10 = stablehlo.constant dense<0> : tensor<i32>
      %40 = stablehlo.compare LT, %39, %c_10, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_11 = stablehlo.constant dense<4> : tensor<i32>
      %41 = stablehlo.add %39, %c_11 : tensor<i32>
      %42 = stablehlo.select %40, %41, %39 : tensor<i1>, tensor<i32>
      %c_12 = stablehlo.constant dense<0> : tensor<i32>
      %43 = stablehlo.dynamic_slice %34, %c_12, %42, sizes = [6, 1] : (tensor<6x4xf32>, tensor<i32>, tensor<i32>) -> tensor<6x1xf32>
      %44 = stablehlo.dot_general %arg5, %arg3, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<1x4x3xf32>, tensor<6x4xf32>) -> tensor<1x3x6xf32>
      %45 = stablehlo.transpose %44, dims = [0, 2, 1] : (tensor<1x3x6xf32>) -> tensor<1x6x3xf32>
      %46 = func.call @silu(%45) : (tensor<1x6x3xf32>) -> tensor<1x6x3xf32>
      %47 = stablehlo.dot_general %43, %46, batching_dims = [0] x [1], contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x1xf32>, tensor<1x6x3xf32>) -> tensor<6x3xf32>
      %48 = "stablehlo.all_reduce"(%47) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_0, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
      ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
        %49 = stablehlo.add %arg6, %arg7 : tensor<f32>
        stablehlo.return %49 : tensor<f32>
      }) : (tensor<6x3xf32>) -> tensor<6x3xf32>
      sdy.return %48 : tensor<6x3xf32>
    } : (tensor<6x4xf32>, tensor<4x4xf32>, tensor<4x4x3xf32>) -> tensor<6x3xf32>
    return %0 : tensor<6x3xf32>
  }
  func.func private @silu(%arg0: tensor<1x6x3xf32>) -> tensor<1x6x3xf32> {
    %0 = stablehlo.negate %arg0 : tensor<1x6x3xf32>
    %1 = stablehlo.exponential %0 : tensor<1x6x3xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1x6x3xf32>
    %3 = stablehlo.add %2, %1 : tensor<1x6x3xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1x6x3xf32>
    %5 = stablehlo.divide %4, %3 : tensor<1x6x3xf32>
    %6 = stablehlo.multiply %arg0, %5 : tensor<1x6x3xf32>
    return %6 : tensor<1x6x3xf32>
  }
}
