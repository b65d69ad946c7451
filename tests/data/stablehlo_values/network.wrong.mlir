module @jit__lambda attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["i"=4]> {stablehlo.mesh = {axes = [{name = "i", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<4x5x5x1xf32>) -> (tensor<4x3x3x2xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<[[[[-2.000000e+00, -2.000000e+00]], [[1.000000e+00, 0.000000e+00]], [[1.000000e+00, -2.000000e+00]]], [[[0.000000e+00, -1.000000e+00]], [[1.000000e+00, 0.000000e+00]], [[2.000000e+00, 2.000000e+00]]], [[[2.000000e+00, 1.000000e+00]], [[2.000000e+00, 0.000000e+00]], [[1.000000e+00, 1.000000e+00]]]]> : tensor<3x3x1x2xf32>
    %0 = sdy.manual_computation(%cst, %arg0) in_shardings=[<@mesh, [{}, {}, {}, {}]>, <@mesh, [{"i"}, {}, {}, {}]>] out_shardings=[<@mesh, [{"i"}, {}, {}, {}]>] manual_axes={"i"} (%arg1: tensor<3x3x1x2xf32>, %arg2: tensor<1x5x5x1xf32>) {
      %1 = stablehlo.convolution(%arg2, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x5x5x1xf32>, tensor<3x3x1x2xf32>) -> tensor<1x5x5x2xf32>
      %2 = func.call @relu(%1) : (tensor<1x5x5x2xf32>) -> tensor<1x5x5x2xf32>
      %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<f32>
      %4 = "stablehlo.reduce_window"(%2, %3) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 0], [0, 2], [0, 2], [0, 0]]> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
      ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
        %5 = stablehlo.maximum %arg3, %arg4 : tensor<f32>
        stablehlo.return %5 : tensor<f32>
      }) : (tensor<1x5x5x2xf32>, tensor<f32>) -> tensor<1x3x3x2xf32>
      sdy.return %4 : tensor<1x3x3x2xf32>
    } : (tensor<3x3x1x2xf32>, tensor<4x5x5x1xf32>) -> tensor<4x3x3x2xf32>
    return %0 : tensor<4x3x3x2xf32>
  }
  func.func private @relu(%arg0: tensor<1x5x5x2xf32>) -> tensor<1x5x5x2xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1x5x5x2xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<1x5x5x2xf32>
    return %1 : tensor<1x5x5x2xf32>
  }
}
