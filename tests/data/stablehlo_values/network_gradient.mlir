module @jit__lambda attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["i"=4]> {stablehlo.mesh = {axes = [{name = "i", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<4x5x5x1xf32>) -> (tensor<4x5x5x1xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<[[[[-2.000000e+00, -2.000000e+00]], [[1.000000e+00, 0.000000e+00]], [[1.000000e+00, -2.000000e+00]]], [[[0.000000e+00, -1.000000e+00]], [[1.000000e+00, 0.000000e+00]], [[2.000000e+00, 2.000000e+00]]], [[[2.000000e+00, 1.000000e+00]], [[2.000000e+00, 0.000000e+00]], [[1.000000e+00, 1.000000e+00]]]]> : tensor<3x3x1x2xf32>
    %0:4 = sdy.manual_computation(%cst, %arg0) in_shardings=[<@mesh, [{}, {}, {}, {}]>, <@mesh, [{"i"}, {}, {}, {}]>] out_shardings=[<@mesh, [{"i"}, {}, {}, {}]>, <@mesh, [{"i"}, {}, {}, {}]>, <@mesh, [{"i"}, {}, {}, {}]>, <@mesh, [{"i"}, {}, {}, {}]>] manual_axes={"i"} (%arg1: tensor<3x3x1x2xf32>, %arg2: tensor<1x5x5x1xf32>) {
      %6 = stablehlo.convolution(%arg2, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x5x5x1xf32>, tensor<3x3x1x2xf32>) -> tensor<1x5x5x2xf32>
      %7 = func.call @relu(%6) : (tensor<1x5x5x2xf32>) -> tensor<1x5x5x2xf32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<1x5x5x2xf32>
      %9 = stablehlo.compare GT, %6, %8, FLOAT : (tensor<1x5x5x2xf32>, tensor<1x5x5x2xf32>) -> tensor<1x5x5x2xi1>
      %cst_3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %10 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<f32>
      %11 = "stablehlo.reduce_window"(%7, %10) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 0], [1, 1], [1, 1], [0, 0]]> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
      ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
        %12 = stablehlo.maximum %arg3, %arg4 : tensor<f32>
        stablehlo.return %12 : tensor<f32>
      }) : (tensor<1x5x5x2xf32>, tensor<f32>) -> tensor<1x3x3x2xf32>
      sdy.return %arg1, %9, %7, %11 : tensor<3x3x1x2xf32>, tensor<1x5x5x2xi1>, tensor<1x5x5x2xf32>, tensor<1x3x3x2xf32>
    } : (tensor<3x3x1x2xf32>, tensor<4x5x5x1xf32>) -> (tensor<12x3x1x2xf32>, tensor<4x5x5x2xi1>, tensor<4x5x5x2xf32>, tensor<4x3x3x2xf32>)
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x3x3x2xf32>
    %2 = stablehlo.multiply %1, %0#3 : tensor<4x3x3x2xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x3x3x2xf32>
    %4 = stablehlo.multiply %3, %2 : tensor<4x3x3x2xf32>
    %5 = sdy.manual_computation(%4, %0#0, %0#1, %0#2) in_shardings=[<@mesh, [{"i"}, {}, {}, {}]>, <@mesh, [{"i"}, {}, {}, {}]>, <@mesh, [{"i"}, {}, {}, {}]>, <@mesh, [{"i"}, {}, {}, {}]>] out_shardings=[<@mesh, [{"i"}, {}, {}, {}]>] manual_axes={"i"} (%arg1: tensor<1x3x3x2xf32>, %arg2: tensor<3x3x1x2xf32>, %arg3: tensor<1x5x5x2xi1>, %arg4: tensor<1x5x5x2xf32>) {
      %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %6 = stablehlo.pad %arg4, %cst_2, low = [0, 1, 1, 0], high = [0, 1, 1, 0], interior = [0, 0, 0, 0] : (tensor<1x5x5x2xf32>, tensor<f32>) -> tensor<1x7x7x2xf32>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %7 = "stablehlo.select_and_scatter"(%6, %arg1, %cst_3) <{padding = dense<0> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
      ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
        %13 = stablehlo.compare GE, %arg5, %arg6, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %13 : tensor<i1>
      }, {
      ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
        %13 = stablehlo.add %arg5, %arg6 : tensor<f32>
        stablehlo.return %13 : tensor<f32>
      }) : (tensor<1x7x7x2xf32>, tensor<1x3x3x2xf32>, tensor<f32>) -> tensor<1x7x7x2xf32>
      %8 = stablehlo.slice %7 [0:1, 1:6, 1:6, 0:2] : (tensor<1x7x7x2xf32>) -> tensor<1x5x5x2xf32>
      %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %9 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<1x5x5x2xf32>
      %10 = stablehlo.select %arg3, %8, %9 : tensor<1x5x5x2xi1>, tensor<1x5x5x2xf32>
      %11 = stablehlo.reverse %arg2, dims = [0, 1] : tensor<3x3x1x2xf32>
      %12 = stablehlo.convolution(%10, %11) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x5x5x2xf32>, tensor<3x3x1x2xf32>) -> tensor<1x5x5x1xf32>
      sdy.return %12 : tensor<1x5x5x1xf32>
    } : (tensor<4x3x3x2xf32>, tensor<12x3x1x2xf32>, tensor<4x5x5x2xi1>, tensor<4x5x5x2xf32>) -> tensor<4x5x5x1xf32>
    return %5 : tensor<4x5x5x1xf32>
  }
  func.func private @relu(%arg0: tensor<1x5x5x2xf32>) -> tensor<1x5x5x2xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1x5x5x2xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<1x5x5x2xf32>
    return %1 : tensor<1x5x5x2xf32>
  }
}
