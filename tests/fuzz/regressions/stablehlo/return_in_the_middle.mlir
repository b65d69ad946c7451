module @jit_reference attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x6x6xf32>, %arg1: tensor<4x6xf32>, %arg2: tensor<6x6xf32>) -> (tensor<6x6xf32> {jax.result_info = ""}) {
    %0 = stablehlo.slice %arg0 [0:1, 0:6 0:6] : (tensor<4x6x6xf32>) -> tensor<1x6x6xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x6x6xf32>) -> tensor<6x6xf32>
    %2 = stablehlo.dot_general %arg2, %1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x6xf32>, tensor<6x6xf32>) -> tensor<6x6xf32>
    %3 = stablehlo.slice %arg1 [0:1, 0:6] : (tensor<4x6xf32>) -> tensor<1x6xf32>
    %4 = stablehlo.reshape %3 : (tensor<1x6xf32>) -> tensor<6xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [1] : (tensor<6xf32>) -> tensor<1x6xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<1x6xf32>) -> tensor<6x6xf32>
    %7 = stablehlo.add %2, %6 : tensor<6x6xf32>
    %8 = stablehlo.tanh %7 : tensor<6x6xf32>
    %9 = stablehlo.slice %arg0 [1:2, 0:6, 0:6] : (tensor<4x6x6xf32>) -> tensor<1x6x6xf32>
    %10 = stablehlo.reshape %9 : (tensor<1x6x6xf32>) -> tensor<6x6xf32>
    %11 = stablehlo.dot_general %8, %10, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x6xf32>, tensor<6x6xf32>) -> tensor<6x6xf32>
    %12 = stablehlo.slice %arg1 [1:2, 0:6] : (tensor<4x6xf32>) -> tensor<1x6xf32>
    %13 = stablehlo.reshape %12 : (tensor<1x6xf32>) -> tensor<6xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [1] : (tensor<6xf32>) -> tensor<1x6xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1] : (tensor<1x6xf32>) -> tensor<6x6xf32>
    %16 = stablehlo.add %11, %15 : tensor<6x6xf32>
    %17 = stablehlo.tanh %16 : tensor<6x6xf32>
    %18 = stablehlo.slice %arg0 [2:3, 0:6, 0:6] : (tensor<4x6x6xf32>) -> tensor<1x6x6xf32>
    %19 = stablehlo.reshape %18 : (tensor<1x6x6xf32>) -> tensor<6x6xf32>
    %20 = stablehlo.dot_general %17, %19, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x6xf32>, tensor<6x6xf32>) -> tensor<6x6xf32>
    %21 = stablehlo.slice %arg1 [2:3, 0:6] : (tensor<4x6xf32>) -> tensor<1x6xf32>
    %22 = stablehlo.reshape %21 : (tensor<1x6xf32>) -> tensor<6xf32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [1] : (tensor<6xf32>) -> tensor<1x6xf32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0, 1] : (tensor<1x6xf32>) -> tensor<6x6xf32>
    return %20, %24 : tensor<6x6xf32>, tensor<6x6xf32>
    %26 = stablehlo.tanh %25 : tensor<6x6xf32>
    %27 = stablehlo.slice %arg0 [3:4, 0:6, 0:6] : (tensor<4x6x6xf32>) -> tensor<1x6x6xf32>
    %28 = stablehlo.reshape %27 : (tensor<1x6x6xf32>) -> tensor<6x6xf32>
    %29 = stablehlo.dot_general %26, %28, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x6xf32>, tensor<6x6xf32>) -> tensor<6x6xf32>
    %30 = stablehlo.slice %arg1 [3:4, 0:6] : (tensor<4x6xf32>) -> tensor<1x6xf32>
    %31 = stablehlo.reshape %30 : (tensor<1x6xf32>) -> tensor<6xf32>
    %32 = stablehlo.broadcast_in_dim %31, dims = [1] : (tensor<6xf32>) -> tensor<1x6xf32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [0, 1] : (tensor<1x6xf32>) -> tensor<6x6xf32>
    %34 = stablehlo.add %29, %33 : tensor<6x6xf32>
    %35 = stablehlo.tanh %34 : tensor<6x6xf32>
    return %35 : tensor<6x6xf32>
  }
}
