module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16x6xf32>, %arg1: tensor<6x6xf32>) -> (tensor<6x6xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x6xf32>, tensor<6x6xf32>) -> tensor<16x6xf32>
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x6xf32>
    %2 = stablehlo.multiply %1, %0 : tensor<16x6xf32>
    %3 = stablehlo.negate %0 : tensor<16x6xf32>
    %cst_0 = stablehlo.constant dense<0.707106769> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16x6xf32>
    %5 = stablehlo.multiply %3, %4 : tensor<16x6xf32>
    %6 = chlo.erfc %5 : tensor<16x6xf32> -> tensor<16x6xf32>
    %7 = stablehlo.abs %5 : tensor<16x6xf32>
    %cst_1 = stablehlo.constant dense<1.100000e+01> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<16x6xf32>
    %9 = stablehlo.minimum %7, %8 : tensor<16x6xf32>
    %10 = stablehlo.bitcast_convert %9 : (tensor<16x6xf32>) -> tensor<16x6xui32>
    %c = stablehlo.constant dense<4294963200> : tensor<ui32>
    %11 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui32>) -> tensor<16x6xui32>
    %12 = stablehlo.and %10, %11 : tensor<16x6xui32>
    %13 = stablehlo.bitcast_convert %12 : (tensor<16x6xui32>) -> tensor<16x6xf32>
    %14 = stablehlo.subtract %9, %13 : tensor<16x6xf32>
    %15 = stablehlo.multiply %13, %13 : tensor<16x6xf32>
    %16 = stablehlo.add %9, %13 : tensor<16x6xf32>
    %17 = stablehlo.multiply %14, %16 : tensor<16x6xf32>
    %18 = stablehlo.negate %15 : tensor<16x6xf32>
    %19 = stablehlo.exponential %18 : tensor<16x6xf32>
    %20 = stablehlo.exponential %18 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<16x6xf32>
    %21 = stablehlo.negate %17 : tensor<16x6xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_3 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %cst_4 = stablehlo.constant dense<0.166666672> : tensor<f32>
    %cst_5 = stablehlo.constant dense<0.0416666679> : tensor<f32>
    %cst_6 = stablehlo.constant dense<0.00833333377> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<16x6xf32>
    %23 = stablehlo.multiply %22, %21 : tensor<16x6xf32>
    %24 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<16x6xf32>
    %25 = stablehlo.add %23, %24 : tensor<16x6xf32>
    %26 = stablehlo.multiply %25, %21 : tensor<16x6xf32>
    %27 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<16x6xf32>
    %28 = stablehlo.add %26, %27 : tensor<16x6xf32>
    %29 = stablehlo.multiply %28, %21 : tensor<16x6xf32>
    %30 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<16x6xf32>
    %31 = stablehlo.add %29, %30 : tensor<16x6xf32>
    %32 = stablehlo.multiply %31, %21 : tensor<16x6xf32>
    %33 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<16x6xf32>
    %34 = stablehlo.add %32, %33 : tensor<16x6xf32>
    %35 = stablehlo.multiply %21, %34 : tensor<16x6xf32>
    %36 = stablehlo.multiply %20, %35 : tensor<16x6xf32>
    %37 = stablehlo.add %20, %36 : tensor<16x6xf32>
    %38 = stablehlo.multiply %2, %6 : tensor<16x6xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %39 = stablehlo.reduce(%38 init: %cst_7) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x6xf32>, tensor<f32>) -> tensor<f32>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<16x6xf32>
    %41 = stablehlo.multiply %2, %40 : tensor<16x6xf32>
    %42 = stablehlo.multiply %40, %6 : tensor<16x6xf32>
    %cst_9 = stablehlo.constant dense<-1.12837923> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<16x6xf32>
    %44 = stablehlo.multiply %43, %41 : tensor<16x6xf32>
    %45 = stablehlo.multiply %44, %37 : tensor<16x6xf32>
    %cst_10 = stablehlo.constant dense<0.707106769> : tensor<f32>
    %46 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<16x6xf32>
    %47 = stablehlo.multiply %45, %46 : tensor<16x6xf32>
    %48 = stablehlo.negate %47 : tensor<16x6xf32>
    %cst_11 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<16x6xf32>
    %50 = stablehlo.multiply %49, %42 : tensor<16x6xf32>
    %51 = stablehlo.add %48, %50 : tensor<16x6xf32>
    %52 = stablehlo.dot_general %51, %arg0, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x6xf32>, tensor<16x6xf32>) -> tensor<6x6xf32>
    %53 = stablehlo.transpose %52, dims = [1, 0] : (tensor<6x6xf32>) -> tensor<6x6xf32>
    return %53 : tensor<6x6xf32>
  }
}
