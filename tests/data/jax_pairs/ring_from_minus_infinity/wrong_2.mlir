module @jit__lambda attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<16x4xf32>, %arg1: tensor<16x4xf32>, %arg2: tensor<16x4xf32>) -> (tensor<16x4xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0, %arg1, %arg2) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg3: tensor<4x4xf32>, %arg4: tensor<4x4xf32>, %arg5: tensor<4x4xf32>) {
      %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %3 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
      %c = stablehlo.constant dense<0> : tensor<i32>
      %4:7 = stablehlo.while(%iterArg = %arg4, %iterArg_2 = %c, %iterArg_3 = %arg3, %iterArg_4 = %arg5, %iterArg_5 = %1, %iterArg_6 = %2, %iterArg_7 = %3) : tensor<4x4xf32>, tensor<i32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x4xf32>
      cond {
        %c_8 = stablehlo.constant dense<4> : tensor<i32>
        %8 = stablehlo.compare LT, %iterArg_2, %c_8, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %8 : tensor<i1>
      } do {
        %8 = stablehlo.transpose %iterArg_3, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
        %9 = stablehlo.dot_general %iterArg, %8, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
        %cst_8 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
        %10 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
        %11 = stablehlo.divide %9, %10 : tensor<4x4xf32>
        %cst_9 = stablehlo.constant dense<0xFF800000> : tensor<f32>
        %12 = stablehlo.reduce(%11 init: %cst_9) applies stablehlo.maximum across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
        %13 = stablehlo.convert %iterArg_5 : tensor<4xf32>
        %14 = stablehlo.maximum %13, %12 : tensor<4xf32>
        %15 = stablehlo.convert %iterArg_5 : tensor<4xf32>
        %16 = stablehlo.subtract %15, %14 : tensor<4xf32>
        %17 = stablehlo.exponential %16 : tensor<4xf32>
        %18 = stablehlo.broadcast_in_dim %14, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
        %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
        %20 = stablehlo.subtract %11, %19 : tensor<4x4xf32>
        %21 = stablehlo.exponential %20 : tensor<4x4xf32>
        %22 = stablehlo.multiply %iterArg_6, %17 : tensor<4xf32>
        %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
        %23 = stablehlo.reduce(%21 init: %cst_10) applies stablehlo.add across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
        %24 = stablehlo.add %22, %23 : tensor<4xf32>
        %25 = stablehlo.transpose %iterArg_7, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
        %26 = stablehlo.broadcast_in_dim %17, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
        %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<4x4xf32>
        %28 = stablehlo.multiply %25, %27 : tensor<4x4xf32>
        %29 = stablehlo.transpose %28, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
        %30 = stablehlo.dot_general %21, %iterArg_4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
        %31 = stablehlo.add %29, %30 : tensor<4x4xf32>
        %32 = "stablehlo.collective_permute"(%iterArg_3) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
        %33 = "stablehlo.collective_permute"(%iterArg_4) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
        %c_11 = stablehlo.constant dense<1> : tensor<i32>
        %34 = stablehlo.add %iterArg_2, %c_11 : tensor<i32>
        stablehlo.return %iterArg, %34, %32, %33, %14, %24, %31 : tensor<4x4xf32>, tensor<i32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x4xf32>
      }
      %5 = stablehlo.broadcast_in_dim %4#5, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
      %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
      %7 = stablehlo.divide %4#6, %6 : tensor<4x4xf32>
      sdy.return %7 : tensor<4x4xf32>
    } : (tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x4xf32>
    return %0 : tensor<16x4xf32>
  }
}
