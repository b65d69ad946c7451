module @jit__lambda attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<4x6xi32>) -> (tensor<4x6xi32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg1: tensor<1x6xi32>) {
      %1 = func.call @sort(%arg1) : (tensor<1x6xi32>) -> tensor<1x6xi32>
      sdy.return %1 : tensor<1x6xi32>
    } : (tensor<4x6xi32>) -> tensor<4x6xi32>
    return %0 : tensor<4x6xi32>
  }
  func.func private @sort(%arg0: tensor<1x6xi32>) -> tensor<1x6xi32> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %z = stablehlo.constant dense<0> : tensor<i32>
      %pa = stablehlo.compare GT, %arg1, %z, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %pb = stablehlo.compare GT, %arg2, %z, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %pp = stablehlo.and %pa, %pb : tensor<i1>
      %gt = stablehlo.compare GT, %arg1, %arg2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %lt = stablehlo.compare LT, %arg1, %arg2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %1 = stablehlo.select %pp, %gt, %lt : tensor<i1>, tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<1x6xi32>) -> tensor<1x6xi32>
    return %0 : tensor<1x6xi32>
  }
}

