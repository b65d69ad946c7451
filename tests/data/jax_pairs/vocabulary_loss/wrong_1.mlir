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
        %102 = stablehlo.maximum %arg6, %arg7 : tensor<f32>
        stablehlo.return %102 : tensor<f32>
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
        %102 = stablehlo.add %arg6, %arg7 : tensor<f32>
        stablehlo.return %102 : tensor<f32>
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
        %102 = stablehlo.add %arg6, %arg7 : tensor<f32>
        stablehlo.return %102 : tensor<f32>
      }) : (tensor<8xf32>) -> tensor<8xf32>
      %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %39 = stablehlo.reduce(%2 init: %cst_11) applies stablehlo.add across dimensions = [1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<8xf32>
      %40 = "stablehlo.all_reduce"(%39) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
        %102 = stablehlo.add %arg6, %arg7 : tensor<f32>
        stablehlo.return %102 : tensor<f32>
      }) : (tensor<8xf32>) -> tensor<8xf32>
      %41 = stablehlo.subtract %31, %38 : tensor<8xf32>
      %cst_12 = stablehlo.constant dense<0.899999976> : tensor<f32>
      %42 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<8xf32>
      %43 = stablehlo.multiply %42, %41 : tensor<8xf32>
      %cst_13 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
      %44 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<8xf32>
      %45 = stablehlo.divide %40, %44 : tensor<8xf32>
      %46 = stablehlo.subtract %31, %45 : tensor<8xf32>
      %cst_14 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
      %47 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<8xf32>
      %48 = stablehlo.multiply %47, %46 : tensor<8xf32>
      %49 = stablehlo.add %43, %48 : tensor<8xf32>
      %50 = stablehlo.multiply %31, %31 : tensor<8xf32>
      %cst_15 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %51 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<8xf32>
      %52 = stablehlo.multiply %51, %31 : tensor<8xf32>
      %cst_16 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
      %53 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<8xf32>
      %54 = stablehlo.multiply %53, %50 : tensor<8xf32>
      %55 = stablehlo.add %49, %54 : tensor<8xf32>
      %c_17 = stablehlo.constant dense<-100> : tensor<i32>
      %56 = stablehlo.broadcast_in_dim %c_17, dims = [] : (tensor<i32>) -> tensor<8xi32>
      %57 = stablehlo.compare NE, %arg5, %56, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
      %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %58:2 = func.call @_where_0(%57, %55, %cst_18) : (tensor<8xi1>, tensor<8xf32>, tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>)
      %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %59 = stablehlo.reduce(%58#0 init: %cst_19) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
      %c_20 = stablehlo.constant dense<-100> : tensor<i32>
      %60 = stablehlo.broadcast_in_dim %c_20, dims = [] : (tensor<i32>) -> tensor<8xi32>
      %61 = stablehlo.compare NE, %arg5, %60, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
      %62 = stablehlo.convert %61 : (tensor<8xi1>) -> tensor<8xi32>
      %c_21 = stablehlo.constant dense<0> : tensor<i32>
      %63 = stablehlo.reduce(%62 init: %c_21) applies stablehlo.add across dimensions = [0] : (tensor<8xi32>, tensor<i32>) -> tensor<i32>
      %c_22 = stablehlo.constant dense<1> : tensor<i32>
      %64 = stablehlo.maximum %63, %c_22 : tensor<i32>
      %65 = stablehlo.convert %64 : (tensor<i32>) -> tensor<f32>
      %66 = stablehlo.divide %59, %65 : tensor<f32>
      %cst_23 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
      %67 = stablehlo.divide %66, %cst_23 : tensor<f32>
      %cst_24 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %cst_25 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
      %68 = stablehlo.divide %cst_24, %cst_25 : tensor<f32>
      %69 = stablehlo.divide %68, %65 : tensor<f32>
      %70 = stablehlo.broadcast_in_dim %69, dims = [] : (tensor<f32>) -> tensor<8xf32>
      %71 = func.call @_where_1(%57, %58#1, %70) : (tensor<8xi1>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
      %cst_26 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
      %72 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<8xf32>
      %73 = stablehlo.multiply %72, %71 : tensor<8xf32>
      %74 = stablehlo.multiply %73, %52 : tensor<8xf32>
      %cst_27 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
      %75 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<8xf32>
      %76 = stablehlo.multiply %75, %71 : tensor<8xf32>
      %77 = stablehlo.negate %76 : tensor<8xf32>
      %78 = stablehlo.add %74, %76 : tensor<8xf32>
      %cst_28 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
      %79 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<8xf32>
      %80 = stablehlo.divide %77, %79 : tensor<8xf32>
      %cst_29 = stablehlo.constant dense<0.899999976> : tensor<f32>
      %81 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<8xf32>
      %82 = stablehlo.multiply %81, %71 : tensor<8xf32>
      %83 = stablehlo.negate %82 : tensor<8xf32>
      %84 = stablehlo.add %78, %82 : tensor<8xf32>
      %85 = "stablehlo.all_reduce"(%80) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
        %102 = stablehlo.add %arg6, %arg7 : tensor<f32>
        stablehlo.return %102 : tensor<f32>
      }) : (tensor<8xf32>) -> tensor<8xf32>
      %86 = stablehlo.broadcast_in_dim %85, dims = [0] : (tensor<8xf32>) -> tensor<8x4xf32>
      %87 = "stablehlo.all_reduce"(%83) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
        %102 = stablehlo.add %arg6, %arg7 : tensor<f32>
        stablehlo.return %102 : tensor<f32>
      }) : (tensor<8xf32>) -> tensor<8xf32>
      %88 = func.call @_where_1(%36, %37#1, %87) : (tensor<8xi1>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
      %89 = stablehlo.divide %84, %29 : tensor<8xf32>
      %90 = "stablehlo.all_reduce"(%89) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
        %102 = stablehlo.add %arg6, %arg7 : tensor<f32>
        stablehlo.return %102 : tensor<f32>
      }) : (tensor<8xf32>) -> tensor<8xf32>
      %91 = stablehlo.broadcast_in_dim %90, dims = [0] : (tensor<8xf32>) -> tensor<8x4xf32>
      %92 = stablehlo.multiply %91, %27 : tensor<8x4xf32>
      %93 = stablehlo.add %86, %92 : tensor<8x4xf32>
      %94 = stablehlo.broadcast_in_dim %88, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
      %95 = func.call @take_along_axis_2(%22#1, %94) : (tensor<8x1x1xi32>, tensor<8x1xf32>) -> tensor<8x4xf32>
      %96 = stablehlo.add %93, %95 : tensor<8x4xf32>
      %97 = stablehlo.dot_general %96, %arg3, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
      %98 = stablehlo.transpose %97, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %99 = stablehlo.dot_general %96, %1, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
      %100 = stablehlo.transpose %98, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %101 = "stablehlo.all_reduce"(%99) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
        %102 = stablehlo.add %arg6, %arg7 : tensor<f32>
        stablehlo.return %102 : tensor<f32>
      }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
      sdy.return %67, %101, %100 : tensor<f32>, tensor<8x4xf32>, tensor<4x4xf32>
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
