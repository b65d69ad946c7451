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
        %98 = stablehlo.maximum %arg6, %arg7 : tensor<f32>
        stablehlo.return %98 : tensor<f32>
      }) : (tensor<8xf32>) -> tensor<8xf32>
      %c = stablehlo.constant dense<-100> : tensor<i32>
      %10 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8xi32>
      %11 = stablehlo.compare NE, %arg5, %10, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
      %c_1 = stablehlo.constant dense<0> : tensor<i32>
      %12 = func.call @_where(%11, %arg5, %c_1) : (tensor<8xi1>, tensor<8xi32>, tensor<i32>) -> tensor<8xi32>
      %c_2 = stablehlo.constant dense<0> : tensor<i32>
      %13 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<8xi32>
      %14 = stablehlo.subtract %12, %13 : tensor<8xi32>
      %c_3 = stablehlo.constant dense<0> : tensor<i32>
      %c_4 = stablehlo.constant dense<3> : tensor<i32>
      %15 = func.call @clip(%14, %c_3, %c_4) : (tensor<8xi32>, tensor<i32>, tensor<i32>) -> tensor<8xi32>
      %16 = stablehlo.broadcast_in_dim %15, dims = [0] : (tensor<8xi32>) -> tensor<8x1xi32>
      %17:2 = func.call @take_along_axis(%2, %16) : (tensor<8x4xf32>, tensor<8x1xi32>) -> (tensor<8x1xf32>, tensor<8x1x1xi32>)
      %18 = stablehlo.reshape %17#0 : (tensor<8x1xf32>) -> tensor<8xf32>
      %19 = stablehlo.broadcast_in_dim %9, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
      %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x4xf32>
      %21 = stablehlo.subtract %2, %20 : tensor<8x4xf32>
      %22 = stablehlo.exponential %21 : tensor<8x4xf32>
      %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %23 = stablehlo.reduce(%22 init: %cst_5) applies stablehlo.add across dimensions = [1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<8xf32>
      %24 = "stablehlo.all_reduce"(%23) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
        %98 = stablehlo.add %arg6, %arg7 : tensor<f32>
        stablehlo.return %98 : tensor<f32>
      }) : (tensor<8xf32>) -> tensor<8xf32>
      %25 = stablehlo.log %24 : tensor<8xf32>
      %26 = stablehlo.add %25, %9 : tensor<8xf32>
      %c_6 = stablehlo.constant dense<0> : tensor<i32>
      %27 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<8xi32>
      %28 = stablehlo.compare GE, %14, %27, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
      %c_7 = stablehlo.constant dense<4> : tensor<i32>
      %29 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<8xi32>
      %30 = stablehlo.compare LT, %14, %29, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
      %31 = stablehlo.and %28, %30 : tensor<8xi1>
      %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %32:2 = func.call @_where_0(%31, %18, %cst_8) : (tensor<8xi1>, tensor<8xf32>, tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>)
      %33 = "stablehlo.all_reduce"(%32#0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
        %98 = stablehlo.add %arg6, %arg7 : tensor<f32>
        stablehlo.return %98 : tensor<f32>
      }) : (tensor<8xf32>) -> tensor<8xf32>
      %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %34 = stablehlo.reduce(%2 init: %cst_9) applies stablehlo.add across dimensions = [1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<8xf32>
      %35 = "stablehlo.all_reduce"(%34) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
        %98 = stablehlo.add %arg6, %arg7 : tensor<f32>
        stablehlo.return %98 : tensor<f32>
      }) : (tensor<8xf32>) -> tensor<8xf32>
      %36 = stablehlo.subtract %26, %33 : tensor<8xf32>
      %cst_10 = stablehlo.constant dense<0.899999976> : tensor<f32>
      %37 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<8xf32>
      %38 = stablehlo.multiply %37, %36 : tensor<8xf32>
      %cst_11 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
      %39 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<8xf32>
      %40 = stablehlo.divide %35, %39 : tensor<8xf32>
      %41 = stablehlo.subtract %26, %40 : tensor<8xf32>
      %cst_12 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
      %42 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<8xf32>
      %43 = stablehlo.multiply %42, %41 : tensor<8xf32>
      %44 = stablehlo.add %38, %43 : tensor<8xf32>
      %45 = stablehlo.multiply %26, %26 : tensor<8xf32>
      %cst_13 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %46 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<8xf32>
      %47 = stablehlo.multiply %46, %26 : tensor<8xf32>
      %cst_14 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
      %48 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<8xf32>
      %49 = stablehlo.multiply %48, %45 : tensor<8xf32>
      %50 = stablehlo.add %44, %49 : tensor<8xf32>
      %c_15 = stablehlo.constant dense<-100> : tensor<i32>
      %51 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i32>) -> tensor<8xi32>
      %52 = stablehlo.compare NE, %arg5, %51, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
      %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %53:2 = func.call @_where_0(%52, %50, %cst_16) : (tensor<8xi1>, tensor<8xf32>, tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>)
      %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %54 = stablehlo.reduce(%53#0 init: %cst_17) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
      %c_18 = stablehlo.constant dense<-100> : tensor<i32>
      %55 = stablehlo.broadcast_in_dim %c_18, dims = [] : (tensor<i32>) -> tensor<8xi32>
      %56 = stablehlo.compare NE, %arg5, %55, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
      %57 = stablehlo.convert %56 : (tensor<8xi1>) -> tensor<8xi32>
      %c_19 = stablehlo.constant dense<0> : tensor<i32>
      %58 = stablehlo.reduce(%57 init: %c_19) applies stablehlo.add across dimensions = [0] : (tensor<8xi32>, tensor<i32>) -> tensor<i32>
      %c_20 = stablehlo.constant dense<1> : tensor<i32>
      %59 = stablehlo.maximum %58, %c_20 : tensor<i32>
      %60 = stablehlo.convert %59 : (tensor<i32>) -> tensor<f32>
      %61 = stablehlo.divide %54, %60 : tensor<f32>
      %cst_21 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
      %62 = stablehlo.divide %61, %cst_21 : tensor<f32>
      %cst_22 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %cst_23 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
      %63 = stablehlo.divide %cst_22, %cst_23 : tensor<f32>
      %64 = stablehlo.divide %63, %60 : tensor<f32>
      %65 = stablehlo.broadcast_in_dim %64, dims = [] : (tensor<f32>) -> tensor<8xf32>
      %66 = func.call @_where_1(%52, %53#1, %65) : (tensor<8xi1>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
      %cst_24 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
      %67 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<8xf32>
      %68 = stablehlo.multiply %67, %66 : tensor<8xf32>
      %69 = stablehlo.multiply %68, %47 : tensor<8xf32>
      %cst_25 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
      %70 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<8xf32>
      %71 = stablehlo.multiply %70, %66 : tensor<8xf32>
      %72 = stablehlo.negate %71 : tensor<8xf32>
      %73 = stablehlo.add %69, %71 : tensor<8xf32>
      %cst_26 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
      %74 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<8xf32>
      %75 = stablehlo.divide %72, %74 : tensor<8xf32>
      %cst_27 = stablehlo.constant dense<0.899999976> : tensor<f32>
      %76 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<8xf32>
      %77 = stablehlo.multiply %76, %66 : tensor<8xf32>
      %78 = stablehlo.negate %77 : tensor<8xf32>
      %79 = stablehlo.add %73, %77 : tensor<8xf32>
      %80 = "stablehlo.all_reduce"(%75) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
        %98 = stablehlo.add %arg6, %arg7 : tensor<f32>
        stablehlo.return %98 : tensor<f32>
      }) : (tensor<8xf32>) -> tensor<8xf32>
      %81 = stablehlo.broadcast_in_dim %80, dims = [0] : (tensor<8xf32>) -> tensor<8x4xf32>
      %82 = "stablehlo.all_reduce"(%78) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
        %98 = stablehlo.add %arg6, %arg7 : tensor<f32>
        stablehlo.return %98 : tensor<f32>
      }) : (tensor<8xf32>) -> tensor<8xf32>
      %83 = func.call @_where_1(%31, %32#1, %82) : (tensor<8xi1>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
      %84 = stablehlo.divide %79, %24 : tensor<8xf32>
      %85 = "stablehlo.all_reduce"(%84) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
        %98 = stablehlo.add %arg6, %arg7 : tensor<f32>
        stablehlo.return %98 : tensor<f32>
      }) : (tensor<8xf32>) -> tensor<8xf32>
      %86 = stablehlo.broadcast_in_dim %85, dims = [0] : (tensor<8xf32>) -> tensor<8x4xf32>
      %87 = stablehlo.multiply %86, %22 : tensor<8x4xf32>
      %88 = stablehlo.add %81, %87 : tensor<8x4xf32>
      %89 = stablehlo.broadcast_in_dim %83, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
      %90 = func.call @take_along_axis_2(%17#1, %89) : (tensor<8x1x1xi32>, tensor<8x1xf32>) -> tensor<8x4xf32>
      %91 = stablehlo.add %88, %90 : tensor<8x4xf32>
      %92 = stablehlo.dot_general %91, %arg3, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
      %93 = stablehlo.transpose %92, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %94 = stablehlo.dot_general %91, %1, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
      %95 = stablehlo.transpose %93, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %96 = "stablehlo.all_reduce"(%94) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
        %98 = stablehlo.add %arg6, %arg7 : tensor<f32>
        stablehlo.return %98 : tensor<f32>
      }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
      %cst_28 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
      %97 = stablehlo.multiply %cst_28, %62 : tensor<f32>
      sdy.return %97, %96, %95 : tensor<f32>, tensor<8x4xf32>, tensor<4x4xf32>
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
