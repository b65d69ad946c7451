module @jit_pool attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<2x16x4xf32>) -> (tensor<2x16x4xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{}, {"x"}, {}]>] out_shardings=[<@mesh, [{}, {"x"}, {}]>] manual_axes={"x"} (%arg1: tensor<2x4x4xf32>) {
      %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
      %2 = "stablehlo.reduce_window"(%arg1, %1) <{base_dilations = array<i64: 1, 1, 1>, padding = dense<[[0, 0], [1, 1], [1, 1]]> : tensor<3x2xi64>, window_dilations = array<i64: 1, 1, 1>, window_dimensions = array<i64: 1, 3, 3>, window_strides = array<i64: 1, 1, 1>}> ({
      ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
        %3 = stablehlo.maximum %arg2, %arg3 : tensor<f32>
        stablehlo.return %3 : tensor<f32>
      }) : (tensor<2x4x4xf32>, tensor<f32>) -> tensor<2x4x4xf32>
      sdy.return %2 : tensor<2x4x4xf32>
    } : (tensor<2x16x4xf32>) -> tensor<2x16x4xf32>
    return %0 : tensor<2x16x4xf32>
  }
}
