module @jit__lambda attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
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
      %values, %indices = chlo.top_k(%12, k = 1) : tensor<6x4xf32> -> (tensor<6x1xf32>, tensor<6x1xi32>)
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %13 = stablehlo.reduce(%values init: %cst_2) applies stablehlo.add across dimensions = [1] : (tensor<6x1xf32>, tensor<f32>) -> tensor<6xf32>
      %14 = stablehlo.broadcast_in_dim %13, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
      %15 = stablehlo.divide %values, %14 : tensor<6x1xf32>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %16 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<6x4xf32>
      %17 = stablehlo.iota dim = 0 : tensor<6xi32>
      %18 = stablehlo.broadcast_in_dim %17, dims = [0] : (tensor<6xi32>) -> tensor<6x1xi32>
      %c = stablehlo.constant dense<0> : tensor<i32>
      %19 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6x1xi32>
      %20 = stablehlo.compare LT, %18, %19, SIGNED : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi1>
      %c_4 = stablehlo.constant dense<6> : tensor<i32>
      %21 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<6x1xi32>
      %22 = stablehlo.add %18, %21 : tensor<6x1xi32>
      %23 = stablehlo.select %20, %22, %18 : tensor<6x1xi1>, tensor<6x1xi32>
      %c_5 = stablehlo.constant dense<0> : tensor<i32>
      %24 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<6x1xi32>
      %25 = stablehlo.compare LT, %indices, %24, SIGNED : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi1>
      %c_6 = stablehlo.constant dense<4> : tensor<i32>
      %26 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<6x1xi32>
      %27 = stablehlo.add %indices, %26 : tensor<6x1xi32>
      %28 = stablehlo.select %25, %27, %indices : tensor<6x1xi1>, tensor<6x1xi32>
      %29 = stablehlo.broadcast_in_dim %23, dims = [0, 1] : (tensor<6x1xi32>) -> tensor<6x1x1xi32>
      %30 = stablehlo.broadcast_in_dim %28, dims = [0, 1] : (tensor<6x1xi32>) -> tensor<6x1x1xi32>
      %31 = stablehlo.concatenate %29, %30, dim = 2 : (tensor<6x1x1xi32>, tensor<6x1x1xi32>) -> tensor<6x1x2xi32>
      %32 = "stablehlo.scatter"(%16, %31, %15) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, unique_indices = false}> ({
      ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
        stablehlo.return %arg7 : tensor<f32>
      }) : (tensor<6x4xf32>, tensor<6x1x2xi32>, tensor<6x1xf32>) -> tensor<6x4xf32>
      %c_7 = stablehlo.constant dense<1> : tensor<ui32>
      %c_8 = stablehlo.constant dense<4> : tensor<ui32>
      %33 = stablehlo.partition_id : tensor<ui32>
      %34 = stablehlo.divide %33, %c_7 : tensor<ui32>
      %35 = stablehlo.remainder %34, %c_8 : tensor<ui32>
      %36 = stablehlo.convert %35 : (tensor<ui32>) -> tensor<i32>
      %c_9 = stablehlo.constant dense<1> : tensor<i32>
      %37 = stablehlo.multiply %36, %c_9 : tensor<i32>
      %c_10 = stablehlo.constant dense<0> : tensor<i32>
      %38 = stablehlo.compare LT, %37, %c_10, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_11 = stablehlo.constant dense<4> : tensor<i32>
      %39 = stablehlo.add %37, %c_11 : tensor<i32>
      %40 = stablehlo.select %38, %39, %37 : tensor<i1>, tensor<i32>
      %c_12 = stablehlo.constant dense<0> : tensor<i32>
      %41 = stablehlo.dynamic_slice %32, %c_12, %40, sizes = [6, 1] : (tensor<6x4xf32>, tensor<i32>, tensor<i32>) -> tensor<6x1xf32>
      %42 = stablehlo.dot_general %arg5, %arg3, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<1x4x3xf32>, tensor<6x4xf32>) -> tensor<1x3x6xf32>
      %43 = stablehlo.transpose %42, dims = [0, 2, 1] : (tensor<1x3x6xf32>) -> tensor<1x6x3xf32>
      %44 = func.call @silu(%43) : (tensor<1x6x3xf32>) -> tensor<1x6x3xf32>
      %45 = stablehlo.dot_general %41, %44, batching_dims = [0] x [1], contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x1xf32>, tensor<1x6x3xf32>) -> tensor<6x3xf32>
      %46 = "stablehlo.all_reduce"(%45) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_0, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
      ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
        %47 = stablehlo.add %arg6, %arg7 : tensor<f32>
        stablehlo.return %47 : tensor<f32>
      }) : (tensor<6x3xf32>) -> tensor<6x3xf32>
      sdy.return %46 : tensor<6x3xf32>
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
