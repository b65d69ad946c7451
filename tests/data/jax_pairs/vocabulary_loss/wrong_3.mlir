module @jit__lambda attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<8x4xf32>, %arg1: tensor<16x4xf32>, %arg2: tensor<8xi32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<8x4xf32> {jax.result_info = "result[1]"}, tensor<16x4xf32> {jax.result_info = "result[2]"}) {
    %0:3 = sdy.manual_computation(%arg0, %arg1, %arg2) in_shardings=[<@mesh, [{}, {}]>, <@mesh, [{"x"}, {}]>, <@mesh, [{}]>] out_shardings=[<@mesh, []>, <@mesh, [{}, {}]>, <@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg3: tensor<8x4xf32>, %arg4: tensor<4x4xf32>, %arg5: tensor<8xi32>) {
      %1 = stablehlo.transpose %arg4, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %2 = stablehlo.dot_general %arg3, %1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
      %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %3 = stablehlo.reduce(%2 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<8xf32>
      %4 = stablehlo.reshape %3 : (tensor<8xf32>) -> tensor<8x1xf32>
      %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x4xf32>
      %6 = stablehlo.compare EQ, %2, %5, FLOAT : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xi1>
      %7 = stablehlo.convert %6 : (tensor<8x4xi1>) -> tensor<8x4xf32>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %8 = stablehlo.reduce(%7 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<8xf32>
      %9 = "stablehlo.all_reduce"(%3) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
        %100 = stablehlo.maximum %arg6, %arg7 : tensor<f32>
        stablehlo.return %100 : tensor<f32>
      }) : (tensor<8xf32>) -> tensor<8xf32>
      %c = stablehlo.constant dense<-100> : tensor<i32>
      %10 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8xi32>
      %11 = stablehlo.compare NE, %arg5, %10, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
      %c_1 = stablehlo.constant dense<0> : tensor<i32>
      %12 = func.call @_where(%11, %arg5, %c_1) : (tensor<8xi1>, tensor<8xi32>, tensor<i32>) -> tensor<8xi32>
      %c_2 = stablehlo.constant dense<1> : tensor<ui32>
      %c_3 = stablehlo.constant dense<4> : tensor<ui32>
      %13 = stablehlo.partition_id : tensor<ui32>
      %14 = stablehlo.divide %13, %c_2 : tensor<ui32>
      %15 = stablehlo.remainder %14, %c_3 : tensor<ui32>
      %16 = stablehlo.convert %15 : (tensor<ui32>) -> tensor<i32>
      %c_4 = stablehlo.constant dense<4> : tensor<i32>
      %17 = stablehlo.multiply %16, %c_4 : tensor<i32>
      %18 = stablehlo.broadcast_in_dim %17, dims = [] : (tensor<i32>) -> tensor<8xi32>
      %19 = stablehlo.subtract %12, %18 : tensor<8xi32>
      %c_5 = stablehlo.constant dense<0> : tensor<i32>
      %c_6 = stablehlo.constant dense<3> : tensor<i32>
      %20 = func.call @clip(%19, %c_5, %c_6) : (tensor<8xi32>, tensor<i32>, tensor<i32>) -> tensor<8xi32>
      %21 = stablehlo.broadcast_in_dim %20, dims = [0] : (tensor<8xi32>) -> tensor<8x1xi32>
      %22:2 = func.call @take_along_axis(%2, %21) : (tensor<8x4xf32>, tensor<8x1xi32>) -> (tensor<8x1xf32>, tensor<8x1x1xi32>)
      %23 = stablehlo.reshape %22#0 : (tensor<8x1xf32>) -> tensor<8xf32>
      %24 = stablehlo.broadcast_in_dim %9, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
      %25 = stablehlo.broadcast_in_dim %24, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x4xf32>
      %26 = stablehlo.subtract %2, %25 : tensor<8x4xf32>
      %27 = stablehlo.exponential %26 : tensor<8x4xf32>
      %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %28 = stablehlo.reduce(%27 init: %cst_7) applies stablehlo.add across dimensions = [1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<8xf32>
      %29 = "stablehlo.all_reduce"(%28) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
        %100 = stablehlo.add %arg6, %arg7 : tensor<f32>
        stablehlo.return %100 : tensor<f32>
      }) : (tensor<8xf32>) -> tensor<8xf32>
      %30 = stablehlo.log %29 : tensor<8xf32>
      %31 = stablehlo.add %30, %9 : tensor<8xf32>
      %c_8 = stablehlo.constant dense<0> : tensor<i32>
      %32 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<8xi32>
      %33 = stablehlo.compare GE, %19, %32, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
      %c_9 = stablehlo.constant dense<4> : tensor<i32>
      %34 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<i32>) -> tensor<8xi32>
      %35 = stablehlo.compare LT, %19, %34, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
      %36 = stablehlo.and %33, %35 : tensor<8xi1>
      %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %37:2 = func.call @_where_0(%36, %23, %cst_10) : (tensor<8xi1>, tensor<8xf32>, tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>)
      %38 = "stablehlo.all_reduce"(%37#0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
        %100 = stablehlo.add %arg6, %arg7 : tensor<f32>
        stablehlo.return %100 : tensor<f32>
      }) : (tensor<8xf32>) -> tensor<8xf32>
      %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %39 = stablehlo.reduce(%2 init: %cst_11) applies stablehlo.add across dimensions = [1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<8xf32>
      %40 = stablehlo.subtract %31, %38 : tensor<8xf32>
      %cst_12 = stablehlo.constant dense<0.899999976> : tensor<f32>
      %41 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<8xf32>
      %42 = stablehlo.multiply %41, %40 : tensor<8xf32>
      %cst_13 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
      %43 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<8xf32>
      %44 = stablehlo.divide %39, %43 : tensor<8xf32>
      %45 = stablehlo.subtract %31, %44 : tensor<8xf32>
      %cst_14 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
      %46 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<8xf32>
      %47 = stablehlo.multiply %46, %45 : tensor<8xf32>
      %48 = stablehlo.add %42, %47 : tensor<8xf32>
      %49 = stablehlo.multiply %31, %31 : tensor<8xf32>
      %cst_15 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %50 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<8xf32>
      %51 = stablehlo.multiply %50, %31 : tensor<8xf32>
      %cst_16 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
      %52 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<8xf32>
      %53 = stablehlo.multiply %52, %49 : tensor<8xf32>
      %54 = stablehlo.add %48, %53 : tensor<8xf32>
      %c_17 = stablehlo.constant dense<-100> : tensor<i32>
      %55 = stablehlo.broadcast_in_dim %c_17, dims = [] : (tensor<i32>) -> tensor<8xi32>
      %56 = stablehlo.compare NE, %arg5, %55, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
      %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %57:2 = func.call @_where_0(%56, %54, %cst_18) : (tensor<8xi1>, tensor<8xf32>, tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>)
      %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %58 = stablehlo.reduce(%57#0 init: %cst_19) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
      %c_20 = stablehlo.constant dense<-100> : tensor<i32>
      %59 = stablehlo.broadcast_in_dim %c_20, dims = [] : (tensor<i32>) -> tensor<8xi32>
      %60 = stablehlo.compare NE, %arg5, %59, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
      %61 = stablehlo.convert %60 : (tensor<8xi1>) -> tensor<8xi32>
      %c_21 = stablehlo.constant dense<0> : tensor<i32>
      %62 = stablehlo.reduce(%61 init: %c_21) applies stablehlo.add across dimensions = [0] : (tensor<8xi32>, tensor<i32>) -> tensor<i32>
      %c_22 = stablehlo.constant dense<1> : tensor<i32>
      %63 = stablehlo.maximum %62, %c_22 : tensor<i32>
      %64 = stablehlo.convert %63 : (tensor<i32>) -> tensor<f32>
      %65 = stablehlo.divide %58, %64 : tensor<f32>
      %cst_23 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
      %66 = stablehlo.divide %65, %cst_23 : tensor<f32>
      %cst_24 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %cst_25 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
      %67 = stablehlo.divide %cst_24, %cst_25 : tensor<f32>
      %68 = stablehlo.divide %67, %64 : tensor<f32>
      %69 = stablehlo.broadcast_in_dim %68, dims = [] : (tensor<f32>) -> tensor<8xf32>
      %70 = func.call @_where_1(%56, %57#1, %69) : (tensor<8xi1>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
      %cst_26 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
      %71 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<8xf32>
      %72 = stablehlo.multiply %71, %70 : tensor<8xf32>
      %73 = stablehlo.multiply %72, %51 : tensor<8xf32>
      %cst_27 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
      %74 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<8xf32>
      %75 = stablehlo.multiply %74, %70 : tensor<8xf32>
      %76 = stablehlo.negate %75 : tensor<8xf32>
      %77 = stablehlo.add %73, %75 : tensor<8xf32>
      %cst_28 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
      %78 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<8xf32>
      %79 = stablehlo.divide %76, %78 : tensor<8xf32>
      %cst_29 = stablehlo.constant dense<0.899999976> : tensor<f32>
      %80 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<8xf32>
      %81 = stablehlo.multiply %80, %70 : tensor<8xf32>
      %82 = stablehlo.negate %81 : tensor<8xf32>
      %83 = stablehlo.add %77, %81 : tensor<8xf32>
      %84 = stablehlo.broadcast_in_dim %79, dims = [0] : (tensor<8xf32>) -> tensor<8x4xf32>
      %85 = "stablehlo.all_reduce"(%82) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
        %100 = stablehlo.add %arg6, %arg7 : tensor<f32>
        stablehlo.return %100 : tensor<f32>
      }) : (tensor<8xf32>) -> tensor<8xf32>
      %86 = func.call @_where_1(%36, %37#1, %85) : (tensor<8xi1>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
      %87 = stablehlo.divide %83, %29 : tensor<8xf32>
      %88 = "stablehlo.all_reduce"(%87) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
        %100 = stablehlo.add %arg6, %arg7 : tensor<f32>
        stablehlo.return %100 : tensor<f32>
      }) : (tensor<8xf32>) -> tensor<8xf32>
      %89 = stablehlo.broadcast_in_dim %88, dims = [0] : (tensor<8xf32>) -> tensor<8x4xf32>
      %90 = stablehlo.multiply %89, %27 : tensor<8x4xf32>
      %91 = stablehlo.add %84, %90 : tensor<8x4xf32>
      %92 = stablehlo.broadcast_in_dim %86, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
      %93 = func.call @take_along_axis_2(%22#1, %92) : (tensor<8x1x1xi32>, tensor<8x1xf32>) -> tensor<8x4xf32>
      %94 = stablehlo.add %91, %93 : tensor<8x4xf32>
      %95 = stablehlo.dot_general %94, %arg3, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
      %96 = stablehlo.transpose %95, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %97 = stablehlo.dot_general %94, %1, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
      %98 = stablehlo.transpose %96, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %cst_30 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
      %99 = stablehlo.multiply %cst_30, %66 : tensor<f32>
      sdy.return %99, %97, %98 : tensor<f32>, tensor<8x4xf32>, tensor<4x4xf32>
    } : (tensor<8x4xf32>, tensor<16x4xf32>, tensor<8xi32>) -> (tensor<f32>, tensor<8x4xf32>, tensor<16x4xf32>)
    return %0#0, %0#1, %0#2 : tensor<f32>, tensor<8x4xf32>, tensor<16x4xf32>
  }
  func.func private @_where(%arg0: tensor<8xi1>, %arg1: tensor<8xi32>, %arg2: tensor<i32>) -> tensor<8xi32> {
    %0 = stablehlo.convert %arg2 : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<8xi1>, tensor<8xi32>
    return %2 : tensor<8xi32>
  }
  func.func private @clip(%arg0: tensor<8xi32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<8xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<8xi32>
    %3 = stablehlo.convert %arg2 : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %5 = stablehlo.minimum %4, %2 : tensor<8xi32>
    return %5 : tensor<8xi32>
  }
  func.func private @take_along_axis(%arg0: tensor<8x4xf32>, %arg1: tensor<8x1xi32>) -> (tensor<8x1xf32>, tensor<8x1x1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x1xi1>
    %c_0 = stablehlo.constant dense<4> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<8x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<8x1xi1>, tensor<8x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<8x1xi32>) -> tensor<8x1x1xi32>
    %c_1 = stablehlo.constant dense<3> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<8x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<8x1x1xi32>, tensor<8x1x1xi32>) -> tensor<8x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [2] : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<1x1x1xi32>) -> tensor<8x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<8x1x1xi32>, tensor<8x1x1xi32>) -> tensor<8x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<8x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [2] : (tensor<8x1x1xi1>, tensor<i1>) -> tensor<8x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<8x4xf32>, tensor<8x1x1xi32>) -> tensor<8x1xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<8x1xi1>, tensor<8x1xf32>
    return %15, %5 : tensor<8x1xf32>, tensor<8x1x1xi32>
  }
  func.func private @_where_0(%arg0: tensor<8xi1>, %arg1: tensor<8xf32>, %arg2: tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<8xi1>, tensor<8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8xf32>
    return %2, %3 : tensor<8xf32>, tensor<8xf32>
  }
  func.func private @_where_1(%arg0: tensor<8xi1>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>) -> tensor<8xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %1 = stablehlo.select %arg0, %arg2, %0 : tensor<8xi1>, tensor<8xf32>
    return %1 : tensor<8xf32>
  }
  func.func private @take_along_axis_2(%arg0: tensor<8x1x1xi32>, %arg1: tensor<8x1xf32>) -> tensor<8x4xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<8x4xf32>, tensor<8x1x1xi32>, tensor<8x1xf32>) -> tensor<8x4xf32>
    return %1 : tensor<8x4xf32>
  }
}
