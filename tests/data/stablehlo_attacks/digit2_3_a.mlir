module @jit_f {
  sdy.mesh @mesh = <["k"=4]>
  func.func public @main(%arg0: tensor<4xf32>) -> (tensor<4xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"k"}]>] out_shardings=[<@mesh, [{"k"}]>] manual_axes={"k"} (%arg1: tensor<1xf32>) {
      %1 = stablehlo.partition_id : tensor<ui32>
      %2 = stablehlo.convert %1 : (tensor<ui32>) -> tensor<i1>
      %30 = stablehlo.convert %2 : (tensor<i1>) -> tensor<i32>
      %3 = stablehlo.convert %30 : (tensor<i32>) -> tensor<f32>
      %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<1xf32>
      %5 = stablehlo.multiply %arg1, %4 : tensor<1xf32>
      sdy.return %5 : tensor<1xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
