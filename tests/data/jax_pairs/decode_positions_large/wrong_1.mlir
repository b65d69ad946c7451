module @jit_step attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  sdy.mesh @mesh_0 = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<2x2x2xf32>, %arg1: tensor<2x2x2xf32>, %arg2: tensor<2x2x2xf32>, %arg3: tensor<2x8x2x2xf32>, %arg4: tensor<2x8x2x2xf32>, %arg5: tensor<2xi32>) -> (tensor<2x2x2xf32> {jax.result_info = "result[0]"}, tensor<2x8x2x2xf32> {jax.result_info = "result[1]"}, tensor<2x8x2x2xf32> {jax.result_info = "result[2]"}) {
    %0:3 = sdy.manual_computation(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5) in_shardings=[<@mesh, [{}, {}, {}]>, <@mesh, [{}, {}, {}]>, <@mesh, [{}, {}, {}]>, <@mesh, [{}, {"x"}, {}, {}]>, <@mesh, [{}, {"x"}, {}, {}]>, <@mesh, [{}]>] out_shardings=[<@mesh, [{}, {}, {}]>, <@mesh, [{}, {"x"}, {}, {}]>, <@mesh, [{}, {"x"}, {}, {}]>] manual_axes={"x"} (%arg6: tensor<2x2x2xf32>, %arg7: tensor<2x2x2xf32>, %arg8: tensor<2x2x2xf32>, %arg9: tensor<2x2x2x2xf32>, %arg10: tensor<2x2x2x2xf32>, %arg11: tensor<2xi32>) {
      %c = stablehlo.constant dense<1> : tensor<ui32>
      %c_0 = stablehlo.constant dense<4> : tensor<ui32>
      %1 = stablehlo.partition_id : tensor<ui32>
      %2 = stablehlo.divide %1, %c : tensor<ui32>
      %3 = stablehlo.remainder %2, %c_0 : tensor<ui32>
      %4 = stablehlo.convert %3 : (tensor<ui32>) -> tensor<i32>
      %c_1 = stablehlo.constant dense<2> : tensor<i32>
      %5 = stablehlo.multiply %4, %c_1 : tensor<i32>
      %6 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %7 = stablehlo.subtract %arg11, %6 : tensor<2xi32>
      %c_2 = stablehlo.constant dense<0> : tensor<i32>
      %8 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %9 = stablehlo.compare GE, %7, %8, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
      %10 = stablehlo.broadcast_in_dim %9, dims = [0] : (tensor<2xi1>) -> tensor<2x1x1x1xi1>
      %c_3 = stablehlo.constant dense<0> : tensor<i32>
      %c_4 = stablehlo.constant dense<1> : tensor<i32>
      %11 = func.call @clip(%7, %c_3, %c_4) : (tensor<2xi32>, tensor<i32>, tensor<i32>) -> tensor<2xi32>
      %12 = stablehlo.broadcast_in_dim %arg7, dims = [0, 2, 3] : (tensor<2x2x2xf32>) -> tensor<2x1x2x2xf32>
      %c_5 = stablehlo.constant dense<0> : tensor<i32>
      %13 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %14 = stablehlo.compare LT, %11, %13, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
      %c_6 = stablehlo.constant dense<2> : tensor<i32>
      %15 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %16 = stablehlo.add %11, %15 : tensor<2xi32>
      %17 = stablehlo.select %14, %16, %11 : tensor<2xi1>, tensor<2xi32>
      %18 = stablehlo.broadcast_in_dim %17, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
      %c_7 = stablehlo.constant dense<0> : tensor<i32>
      %19 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<2x1xi32>
      %c_8 = stablehlo.constant dense<0> : tensor<i32>
      %20 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<2x1xi32>
      %21 = stablehlo.concatenate %18, %19, %20, dim = 1 : (tensor<2x1xi32>, tensor<2x1xi32>, tensor<2x1xi32>) -> tensor<2x3xi32>
      %c_9 = stablehlo.constant dense<[1, 0, 0]> : tensor<3xi32>
      %c_10 = stablehlo.constant dense<2147483647> : tensor<i32>
      %22 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %23 = stablehlo.minimum %c_9, %22 : tensor<3xi32>
      %24 = stablehlo.broadcast_in_dim %23, dims = [1] : (tensor<3xi32>) -> tensor<2x3xi32>
      %c_11 = stablehlo.constant dense<0> : tensor<i32>
      %25 = stablehlo.broadcast_in_dim %c_11, dims = [] : (tensor<i32>) -> tensor<2x3xi32>
      %26 = stablehlo.clamp %25, %21, %24 : tensor<2x3xi32>
      %27 = "stablehlo.scatter"(%arg9, %26, %12) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2, 3], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2, 3], index_vector_dim = 1>, unique_indices = true}> ({
      ^bb0(%arg12: tensor<f32>, %arg13: tensor<f32>):
        stablehlo.return %arg13 : tensor<f32>
      }) : (tensor<2x2x2x2xf32>, tensor<2x3xi32>, tensor<2x1x2x2xf32>) -> tensor<2x2x2x2xf32>
      %28 = func.call @_where(%10, %27, %arg9) : (tensor<2x1x1x1xi1>, tensor<2x2x2x2xf32>, tensor<2x2x2x2xf32>) -> tensor<2x2x2x2xf32>
      %c_12 = stablehlo.constant dense<0> : tensor<i32>
      %29 = stablehlo.broadcast_in_dim %c_12, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %30 = stablehlo.compare GE, %7, %29, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
      %31 = stablehlo.broadcast_in_dim %30, dims = [0] : (tensor<2xi1>) -> tensor<2x1x1x1xi1>
      %c_13 = stablehlo.constant dense<0> : tensor<i32>
      %c_14 = stablehlo.constant dense<1> : tensor<i32>
      %32 = func.call @clip(%7, %c_13, %c_14) : (tensor<2xi32>, tensor<i32>, tensor<i32>) -> tensor<2xi32>
      %33 = stablehlo.broadcast_in_dim %arg8, dims = [0, 2, 3] : (tensor<2x2x2xf32>) -> tensor<2x1x2x2xf32>
      %c_15 = stablehlo.constant dense<0> : tensor<i32>
      %34 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %35 = stablehlo.compare LT, %32, %34, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
      %c_16 = stablehlo.constant dense<2> : tensor<i32>
      %36 = stablehlo.broadcast_in_dim %c_16, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %37 = stablehlo.add %32, %36 : tensor<2xi32>
      %38 = stablehlo.select %35, %37, %32 : tensor<2xi1>, tensor<2xi32>
      %39 = stablehlo.broadcast_in_dim %38, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
      %c_17 = stablehlo.constant dense<0> : tensor<i32>
      %40 = stablehlo.broadcast_in_dim %c_17, dims = [] : (tensor<i32>) -> tensor<2x1xi32>
      %c_18 = stablehlo.constant dense<0> : tensor<i32>
      %41 = stablehlo.broadcast_in_dim %c_18, dims = [] : (tensor<i32>) -> tensor<2x1xi32>
      %42 = stablehlo.concatenate %39, %40, %41, dim = 1 : (tensor<2x1xi32>, tensor<2x1xi32>, tensor<2x1xi32>) -> tensor<2x3xi32>
      %c_19 = stablehlo.constant dense<[1, 0, 0]> : tensor<3xi32>
      %c_20 = stablehlo.constant dense<2147483647> : tensor<i32>
      %43 = stablehlo.broadcast_in_dim %c_20, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %44 = stablehlo.minimum %c_19, %43 : tensor<3xi32>
      %45 = stablehlo.broadcast_in_dim %44, dims = [1] : (tensor<3xi32>) -> tensor<2x3xi32>
      %c_21 = stablehlo.constant dense<0> : tensor<i32>
      %46 = stablehlo.broadcast_in_dim %c_21, dims = [] : (tensor<i32>) -> tensor<2x3xi32>
      %47 = stablehlo.clamp %46, %42, %45 : tensor<2x3xi32>
      %48 = "stablehlo.scatter"(%arg10, %47, %33) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2, 3], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2, 3], index_vector_dim = 1>, unique_indices = true}> ({
      ^bb0(%arg12: tensor<f32>, %arg13: tensor<f32>):
        stablehlo.return %arg13 : tensor<f32>
      }) : (tensor<2x2x2x2xf32>, tensor<2x3xi32>, tensor<2x1x2x2xf32>) -> tensor<2x2x2x2xf32>
      %49 = func.call @_where(%31, %48, %arg10) : (tensor<2x1x1x1xi1>, tensor<2x2x2x2xf32>, tensor<2x2x2x2xf32>) -> tensor<2x2x2x2xf32>
      %50 = stablehlo.dot_general %arg6, %28, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x2x2xf32>, tensor<2x2x2x2xf32>) -> tensor<2x2x2xf32>
      %51 = stablehlo.iota dim = 0 : tensor<2xi32>
      %c_22 = stablehlo.constant dense<1> : tensor<ui32>
      %c_23 = stablehlo.constant dense<4> : tensor<ui32>
      %52 = stablehlo.partition_id : tensor<ui32>
      %53 = stablehlo.divide %52, %c_22 : tensor<ui32>
      %54 = stablehlo.remainder %53, %c_23 : tensor<ui32>
      %55 = stablehlo.convert %54 : (tensor<ui32>) -> tensor<i32>
      %c_24 = stablehlo.constant dense<2> : tensor<i32>
      %56 = stablehlo.multiply %55, %c_24 : tensor<i32>
      %57 = stablehlo.broadcast_in_dim %56, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %58 = stablehlo.add %51, %57 : tensor<2xi32>
      %59 = stablehlo.broadcast_in_dim %arg11, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
      %60 = stablehlo.broadcast_in_dim %58, dims = [1] : (tensor<2xi32>) -> tensor<1x2xi32>
      %61 = stablehlo.broadcast_in_dim %60, dims = [0, 1] : (tensor<1x2xi32>) -> tensor<2x2xi32>
      %62 = stablehlo.broadcast_in_dim %59, dims = [0, 1] : (tensor<2x1xi32>) -> tensor<2x2xi32>
      %63 = stablehlo.compare LE, %61, %62, SIGNED : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi1>
      %64 = stablehlo.broadcast_in_dim %63, dims = [0, 2] : (tensor<2x2xi1>) -> tensor<2x1x2xi1>
      %cst = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
      %65 = func.call @_where_0(%64, %50, %cst) : (tensor<2x1x2xi1>, tensor<2x2x2xf32>, tensor<f32>) -> tensor<2x2x2xf32>
      %cst_25 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %66 = stablehlo.reduce(%65 init: %cst_25) applies stablehlo.maximum across dimensions = [2] : (tensor<2x2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
      %67 = "stablehlo.all_reduce"(%66) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_0, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
      ^bb0(%arg12: tensor<f32>, %arg13: tensor<f32>):
        %79 = stablehlo.maximum %arg12, %arg13 : tensor<f32>
        stablehlo.return %79 : tensor<f32>
      }) : (tensor<2x2xf32>) -> tensor<2x2xf32>
      %68 = stablehlo.broadcast_in_dim %67, dims = [0, 1] : (tensor<2x2xf32>) -> tensor<2x2x1xf32>
      %69 = stablehlo.broadcast_in_dim %68, dims = [0, 1, 2] : (tensor<2x2x1xf32>) -> tensor<2x2x2xf32>
      %70 = stablehlo.subtract %65, %69 : tensor<2x2x2xf32>
      %71 = stablehlo.exponential %70 : tensor<2x2x2xf32>
      %72 = stablehlo.dot_general %71, %49, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x2x2xf32>, tensor<2x2x2x2xf32>) -> tensor<2x2x2xf32>
      %73 = "stablehlo.all_reduce"(%72) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_0, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
      ^bb0(%arg12: tensor<f32>, %arg13: tensor<f32>):
        %79 = stablehlo.add %arg12, %arg13 : tensor<f32>
        stablehlo.return %79 : tensor<f32>
      }) : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
      %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %74 = stablehlo.reduce(%71 init: %cst_26) applies stablehlo.add across dimensions = [2] : (tensor<2x2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
      %75 = "stablehlo.all_reduce"(%74) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_0, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
      ^bb0(%arg12: tensor<f32>, %arg13: tensor<f32>):
        %79 = stablehlo.add %arg12, %arg13 : tensor<f32>
        stablehlo.return %79 : tensor<f32>
      }) : (tensor<2x2xf32>) -> tensor<2x2xf32>
      %76 = stablehlo.broadcast_in_dim %75, dims = [0, 1] : (tensor<2x2xf32>) -> tensor<2x2x1xf32>
      %77 = stablehlo.broadcast_in_dim %76, dims = [0, 1, 2] : (tensor<2x2x1xf32>) -> tensor<2x2x2xf32>
      %78 = stablehlo.divide %73, %77 : tensor<2x2x2xf32>
      sdy.return %78, %28, %49 : tensor<2x2x2xf32>, tensor<2x2x2x2xf32>, tensor<2x2x2x2xf32>
    } : (tensor<2x2x2xf32>, tensor<2x2x2xf32>, tensor<2x2x2xf32>, tensor<2x8x2x2xf32>, tensor<2x8x2x2xf32>, tensor<2xi32>) -> (tensor<2x2x2xf32>, tensor<2x8x2x2xf32>, tensor<2x8x2x2xf32>)
    return %0#0, %0#1, %0#2 : tensor<2x2x2xf32>, tensor<2x8x2x2xf32>, tensor<2x8x2x2xf32>
  }
  func.func private @clip(%arg0: tensor<2xi32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<2xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<2xi32>
    %3 = stablehlo.convert %arg2 : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %5 = stablehlo.minimum %4, %2 : tensor<2xi32>
    return %5 : tensor<2xi32>
  }
  func.func private @_where(%arg0: tensor<2x1x1x1xi1>, %arg1: tensor<2x2x2x2xf32>, %arg2: tensor<2x2x2x2xf32>) -> tensor<2x2x2x2xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 2, 3] : (tensor<2x1x1x1xi1>) -> tensor<2x2x2x2xi1>
    %1 = stablehlo.select %0, %arg1, %arg2 : tensor<2x2x2x2xi1>, tensor<2x2x2x2xf32>
    return %1 : tensor<2x2x2x2xf32>
  }
  func.func private @_where_0(%arg0: tensor<2x1x2xi1>, %arg1: tensor<2x2x2xf32>, %arg2: tensor<f32>) -> tensor<2x2x2xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 2] : (tensor<2x1x2xi1>) -> tensor<2x2x2xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x2x2xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<2x2x2xi1>, tensor<2x2x2xf32>
    return %3 : tensor<2x2x2xf32>
  }
}
