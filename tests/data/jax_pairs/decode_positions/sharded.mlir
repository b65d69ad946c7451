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
      %c_3 = stablehlo.constant dense<2> : tensor<i32>
      %10 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %11 = stablehlo.compare LT, %7, %10, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
      %12 = stablehlo.and %9, %11 : tensor<2xi1>
      %13 = stablehlo.broadcast_in_dim %12, dims = [0] : (tensor<2xi1>) -> tensor<2x1x1x1xi1>
      %c_4 = stablehlo.constant dense<0> : tensor<i32>
      %c_5 = stablehlo.constant dense<1> : tensor<i32>
      %14 = func.call @clip(%7, %c_4, %c_5) : (tensor<2xi32>, tensor<i32>, tensor<i32>) -> tensor<2xi32>
      %15 = stablehlo.broadcast_in_dim %arg7, dims = [0, 2, 3] : (tensor<2x2x2xf32>) -> tensor<2x1x2x2xf32>
      %c_6 = stablehlo.constant dense<0> : tensor<i32>
      %16 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %17 = stablehlo.compare LT, %14, %16, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
      %c_7 = stablehlo.constant dense<2> : tensor<i32>
      %18 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %19 = stablehlo.add %14, %18 : tensor<2xi32>
      %20 = stablehlo.select %17, %19, %14 : tensor<2xi1>, tensor<2xi32>
      %21 = stablehlo.broadcast_in_dim %20, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
      %c_8 = stablehlo.constant dense<0> : tensor<i32>
      %22 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<2x1xi32>
      %c_9 = stablehlo.constant dense<0> : tensor<i32>
      %23 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<i32>) -> tensor<2x1xi32>
      %24 = stablehlo.concatenate %21, %22, %23, dim = 1 : (tensor<2x1xi32>, tensor<2x1xi32>, tensor<2x1xi32>) -> tensor<2x3xi32>
      %c_10 = stablehlo.constant dense<[1, 0, 0]> : tensor<3xi32>
      %c_11 = stablehlo.constant dense<2147483647> : tensor<i32>
      %25 = stablehlo.broadcast_in_dim %c_11, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %26 = stablehlo.minimum %c_10, %25 : tensor<3xi32>
      %27 = stablehlo.broadcast_in_dim %26, dims = [1] : (tensor<3xi32>) -> tensor<2x3xi32>
      %c_12 = stablehlo.constant dense<0> : tensor<i32>
      %28 = stablehlo.broadcast_in_dim %c_12, dims = [] : (tensor<i32>) -> tensor<2x3xi32>
      %29 = stablehlo.clamp %28, %24, %27 : tensor<2x3xi32>
      %30 = "stablehlo.scatter"(%arg9, %29, %15) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2, 3], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2, 3], index_vector_dim = 1>, unique_indices = true}> ({
      ^bb0(%arg12: tensor<f32>, %arg13: tensor<f32>):
        stablehlo.return %arg13 : tensor<f32>
      }) : (tensor<2x2x2x2xf32>, tensor<2x3xi32>, tensor<2x1x2x2xf32>) -> tensor<2x2x2x2xf32>
      %31 = func.call @_where(%13, %30, %arg9) : (tensor<2x1x1x1xi1>, tensor<2x2x2x2xf32>, tensor<2x2x2x2xf32>) -> tensor<2x2x2x2xf32>
      %c_13 = stablehlo.constant dense<0> : tensor<i32>
      %32 = stablehlo.broadcast_in_dim %c_13, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %33 = stablehlo.compare GE, %7, %32, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
      %c_14 = stablehlo.constant dense<2> : tensor<i32>
      %34 = stablehlo.broadcast_in_dim %c_14, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %35 = stablehlo.compare LT, %7, %34, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
      %36 = stablehlo.and %33, %35 : tensor<2xi1>
      %37 = stablehlo.broadcast_in_dim %36, dims = [0] : (tensor<2xi1>) -> tensor<2x1x1x1xi1>
      %c_15 = stablehlo.constant dense<0> : tensor<i32>
      %c_16 = stablehlo.constant dense<1> : tensor<i32>
      %38 = func.call @clip(%7, %c_15, %c_16) : (tensor<2xi32>, tensor<i32>, tensor<i32>) -> tensor<2xi32>
      %39 = stablehlo.broadcast_in_dim %arg8, dims = [0, 2, 3] : (tensor<2x2x2xf32>) -> tensor<2x1x2x2xf32>
      %c_17 = stablehlo.constant dense<0> : tensor<i32>
      %40 = stablehlo.broadcast_in_dim %c_17, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %41 = stablehlo.compare LT, %38, %40, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
      %c_18 = stablehlo.constant dense<2> : tensor<i32>
      %42 = stablehlo.broadcast_in_dim %c_18, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %43 = stablehlo.add %38, %42 : tensor<2xi32>
      %44 = stablehlo.select %41, %43, %38 : tensor<2xi1>, tensor<2xi32>
      %45 = stablehlo.broadcast_in_dim %44, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
      %c_19 = stablehlo.constant dense<0> : tensor<i32>
      %46 = stablehlo.broadcast_in_dim %c_19, dims = [] : (tensor<i32>) -> tensor<2x1xi32>
      %c_20 = stablehlo.constant dense<0> : tensor<i32>
      %47 = stablehlo.broadcast_in_dim %c_20, dims = [] : (tensor<i32>) -> tensor<2x1xi32>
      %48 = stablehlo.concatenate %45, %46, %47, dim = 1 : (tensor<2x1xi32>, tensor<2x1xi32>, tensor<2x1xi32>) -> tensor<2x3xi32>
      %c_21 = stablehlo.constant dense<[1, 0, 0]> : tensor<3xi32>
      %c_22 = stablehlo.constant dense<2147483647> : tensor<i32>
      %49 = stablehlo.broadcast_in_dim %c_22, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %50 = stablehlo.minimum %c_21, %49 : tensor<3xi32>
      %51 = stablehlo.broadcast_in_dim %50, dims = [1] : (tensor<3xi32>) -> tensor<2x3xi32>
      %c_23 = stablehlo.constant dense<0> : tensor<i32>
      %52 = stablehlo.broadcast_in_dim %c_23, dims = [] : (tensor<i32>) -> tensor<2x3xi32>
      %53 = stablehlo.clamp %52, %48, %51 : tensor<2x3xi32>
      %54 = "stablehlo.scatter"(%arg10, %53, %39) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2, 3], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2, 3], index_vector_dim = 1>, unique_indices = true}> ({
      ^bb0(%arg12: tensor<f32>, %arg13: tensor<f32>):
        stablehlo.return %arg13 : tensor<f32>
      }) : (tensor<2x2x2x2xf32>, tensor<2x3xi32>, tensor<2x1x2x2xf32>) -> tensor<2x2x2x2xf32>
      %55 = func.call @_where(%37, %54, %arg10) : (tensor<2x1x1x1xi1>, tensor<2x2x2x2xf32>, tensor<2x2x2x2xf32>) -> tensor<2x2x2x2xf32>
      %56 = stablehlo.dot_general %arg6, %31, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x2x2xf32>, tensor<2x2x2x2xf32>) -> tensor<2x2x2xf32>
      %57 = stablehlo.iota dim = 0 : tensor<2xi32>
      %c_24 = stablehlo.constant dense<1> : tensor<ui32>
      %c_25 = stablehlo.constant dense<4> : tensor<ui32>
      %58 = stablehlo.partition_id : tensor<ui32>
      %59 = stablehlo.divide %58, %c_24 : tensor<ui32>
      %60 = stablehlo.remainder %59, %c_25 : tensor<ui32>
      %61 = stablehlo.convert %60 : (tensor<ui32>) -> tensor<i32>
      %c_26 = stablehlo.constant dense<2> : tensor<i32>
      %62 = stablehlo.multiply %61, %c_26 : tensor<i32>
      %63 = stablehlo.broadcast_in_dim %62, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %64 = stablehlo.add %57, %63 : tensor<2xi32>
      %65 = stablehlo.broadcast_in_dim %arg11, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
      %66 = stablehlo.broadcast_in_dim %64, dims = [1] : (tensor<2xi32>) -> tensor<1x2xi32>
      %67 = stablehlo.broadcast_in_dim %66, dims = [0, 1] : (tensor<1x2xi32>) -> tensor<2x2xi32>
      %68 = stablehlo.broadcast_in_dim %65, dims = [0, 1] : (tensor<2x1xi32>) -> tensor<2x2xi32>
      %69 = stablehlo.compare LE, %67, %68, SIGNED : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi1>
      %70 = stablehlo.broadcast_in_dim %69, dims = [0, 2] : (tensor<2x2xi1>) -> tensor<2x1x2xi1>
      %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %71 = func.call @_where_0(%70, %56, %cst) : (tensor<2x1x2xi1>, tensor<2x2x2xf32>, tensor<f32>) -> tensor<2x2x2xf32>
      %cst_27 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %72 = stablehlo.reduce(%71 init: %cst_27) applies stablehlo.maximum across dimensions = [2] : (tensor<2x2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
      %73 = "stablehlo.all_reduce"(%72) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_0, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
      ^bb0(%arg12: tensor<f32>, %arg13: tensor<f32>):
        %85 = stablehlo.maximum %arg12, %arg13 : tensor<f32>
        stablehlo.return %85 : tensor<f32>
      }) : (tensor<2x2xf32>) -> tensor<2x2xf32>
      %74 = stablehlo.broadcast_in_dim %73, dims = [0, 1] : (tensor<2x2xf32>) -> tensor<2x2x1xf32>
      %75 = stablehlo.broadcast_in_dim %74, dims = [0, 1, 2] : (tensor<2x2x1xf32>) -> tensor<2x2x2xf32>
      %76 = stablehlo.subtract %71, %75 : tensor<2x2x2xf32>
      %77 = stablehlo.exponential %76 : tensor<2x2x2xf32>
      %78 = stablehlo.dot_general %77, %55, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x2x2xf32>, tensor<2x2x2x2xf32>) -> tensor<2x2x2xf32>
      %79 = "stablehlo.all_reduce"(%78) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_0, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
      ^bb0(%arg12: tensor<f32>, %arg13: tensor<f32>):
        %85 = stablehlo.add %arg12, %arg13 : tensor<f32>
        stablehlo.return %85 : tensor<f32>
      }) : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
      %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %80 = stablehlo.reduce(%77 init: %cst_28) applies stablehlo.add across dimensions = [2] : (tensor<2x2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
      %81 = "stablehlo.all_reduce"(%80) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_0, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
      ^bb0(%arg12: tensor<f32>, %arg13: tensor<f32>):
        %85 = stablehlo.add %arg12, %arg13 : tensor<f32>
        stablehlo.return %85 : tensor<f32>
      }) : (tensor<2x2xf32>) -> tensor<2x2xf32>
      %82 = stablehlo.broadcast_in_dim %81, dims = [0, 1] : (tensor<2x2xf32>) -> tensor<2x2x1xf32>
      %83 = stablehlo.broadcast_in_dim %82, dims = [0, 1, 2] : (tensor<2x2x1xf32>) -> tensor<2x2x2xf32>
      %84 = stablehlo.divide %79, %83 : tensor<2x2x2xf32>
      sdy.return %84, %31, %55 : tensor<2x2x2xf32>, tensor<2x2x2x2xf32>, tensor<2x2x2x2xf32>
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
