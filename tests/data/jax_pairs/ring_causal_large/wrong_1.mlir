module @jit__lambda attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<2x8x4xf32>, %arg1: tensor<2x8x4xf32>, %arg2: tensor<2x8x4xf32>) -> (tensor<2x8x4xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0, %arg1, %arg2) in_shardings=[<@mesh, [{}, {"x"}, {}]>, <@mesh, [{}, {"x"}, {}]>, <@mesh, [{}, {"x"}, {}]>] out_shardings=[<@mesh, [{}, {"x"}, {}]>] manual_axes={"x"} (%arg3: tensor<2x2x4xf32>, %arg4: tensor<2x2x4xf32>, %arg5: tensor<2x2x4xf32>) {
      %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
      %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %3 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x2x4xf32>
      %c = stablehlo.constant dense<0> : tensor<i32>
      %c_2 = stablehlo.constant dense<0> : tensor<i32>
      %4:8 = stablehlo.while(%iterArg = %arg3, %iterArg_3 = %c_2, %iterArg_4 = %c, %iterArg_5 = %arg4, %iterArg_6 = %arg5, %iterArg_7 = %1, %iterArg_8 = %2, %iterArg_9 = %3) : tensor<2x2x4xf32>, tensor<i32>, tensor<i32>, tensor<2x2x4xf32>, tensor<2x2x4xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2x4xf32>
      cond {
        %c_10 = stablehlo.constant dense<4> : tensor<i32>
        %8 = stablehlo.compare LT, %iterArg_3, %c_10, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %8 : tensor<i1>
      } do {
        %c_10 = stablehlo.constant dense<1> : tensor<i32>
        %8 = stablehlo.add %iterArg_4, %c_10 : tensor<i32>
        %9 = stablehlo.broadcast_in_dim %iterArg_5, dims = [0, 2, 3] : (tensor<2x2x4xf32>) -> tensor<2x1x2x4xf32>
        %10 = stablehlo.reshape %9 : (tensor<2x1x2x4xf32>) -> tensor<2x2x4xf32>
        %c_11 = stablehlo.constant dense<1> : tensor<ui32>
        %c_12 = stablehlo.constant dense<4> : tensor<ui32>
        %11 = stablehlo.partition_id : tensor<ui32>
        %12 = stablehlo.divide %11, %c_11 : tensor<ui32>
        %13 = stablehlo.remainder %12, %c_12 : tensor<ui32>
        %14 = stablehlo.convert %13 : (tensor<ui32>) -> tensor<i32>
        %c_13 = stablehlo.constant dense<2> : tensor<i32>
        %15 = stablehlo.multiply %14, %c_13 : tensor<i32>
        %c_14 = stablehlo.constant dense<1> : tensor<ui32>
        %c_15 = stablehlo.constant dense<4> : tensor<ui32>
        %16 = stablehlo.partition_id : tensor<ui32>
        %17 = stablehlo.divide %16, %c_14 : tensor<ui32>
        %18 = stablehlo.remainder %17, %c_15 : tensor<ui32>
        %19 = stablehlo.convert %18 : (tensor<ui32>) -> tensor<i32>
        %20 = stablehlo.convert %iterArg_4 : tensor<i32>
        %21 = stablehlo.subtract %19, %20 : tensor<i32>
        %c_16 = stablehlo.constant dense<4> : tensor<i32>
        %22 = func.call @remainder(%21, %c_16) : (tensor<i32>, tensor<i32>) -> tensor<i32>
        %c_17 = stablehlo.constant dense<2> : tensor<i32>
        %23 = stablehlo.multiply %22, %c_17 : tensor<i32>
        %24 = stablehlo.iota dim = 0 : tensor<2xi32>
        %25 = stablehlo.broadcast_in_dim %15, dims = [] : (tensor<i32>) -> tensor<2xi32>
        %26 = stablehlo.add %25, %24 : tensor<2xi32>
        %27 = stablehlo.iota dim = 0 : tensor<2xi32>
        %28 = stablehlo.broadcast_in_dim %23, dims = [] : (tensor<i32>) -> tensor<2xi32>
        %29 = stablehlo.add %28, %27 : tensor<2xi32>
        %30 = stablehlo.broadcast_in_dim %26, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
        %31 = stablehlo.broadcast_in_dim %29, dims = [1] : (tensor<2xi32>) -> tensor<1x2xi32>
        %32 = stablehlo.broadcast_in_dim %30, dims = [0, 1] : (tensor<2x1xi32>) -> tensor<2x2xi32>
        %33 = stablehlo.broadcast_in_dim %31, dims = [0, 1] : (tensor<1x2xi32>) -> tensor<2x2xi32>
        %34 = stablehlo.compare GE, %32, %33, SIGNED : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi1>
        %35 = stablehlo.dot_general %iterArg, %10, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x2x4xf32>, tensor<2x2x4xf32>) -> tensor<2x2x2xf32>
        %cst_18 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
        %36 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<2x2x2xf32>
        %37 = stablehlo.divide %35, %36 : tensor<2x2x2xf32>
        %cst_19 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
        %38 = func.call @_where_0(%34, %37, %cst_19) : (tensor<2x2xi1>, tensor<2x2x2xf32>, tensor<f32>) -> tensor<2x2x2xf32>
        %cst_20 = stablehlo.constant dense<0xFF800000> : tensor<f32>
        %39 = stablehlo.reduce(%38 init: %cst_20) applies stablehlo.maximum across dimensions = [2] : (tensor<2x2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
        %40 = stablehlo.convert %iterArg_7 : tensor<2x2xf32>
        %41 = stablehlo.maximum %40, %39 : tensor<2x2xf32>
        %42 = stablehlo.broadcast_in_dim %41, dims = [0, 1] : (tensor<2x2xf32>) -> tensor<2x2x1xf32>
        %43 = stablehlo.broadcast_in_dim %42, dims = [0, 1, 2] : (tensor<2x2x1xf32>) -> tensor<2x2x2xf32>
        %44 = stablehlo.subtract %38, %43 : tensor<2x2x2xf32>
        %45 = stablehlo.exponential %44 : tensor<2x2x2xf32>
        %46 = "stablehlo.collective_permute"(%iterArg_5) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<2x2x4xf32>) -> tensor<2x2x4xf32>
        %47 = "stablehlo.collective_permute"(%iterArg_6) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<2x2x4xf32>) -> tensor<2x2x4xf32>
        %48 = stablehlo.broadcast_in_dim %iterArg_6, dims = [0, 2, 3] : (tensor<2x2x4xf32>) -> tensor<2x1x2x4xf32>
        %49 = stablehlo.reshape %48 : (tensor<2x1x2x4xf32>) -> tensor<2x2x4xf32>
        %cst_21 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
        %50 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
        %51 = stablehlo.multiply %iterArg_8, %50 : tensor<2x2xf32>
        %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
        %52 = stablehlo.reduce(%45 init: %cst_22) applies stablehlo.add across dimensions = [2] : (tensor<2x2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
        %53 = stablehlo.add %51, %52 : tensor<2x2xf32>
        %54 = stablehlo.transpose %iterArg_9, dims = [2, 1, 0] : (tensor<2x2x4xf32>) -> tensor<4x2x2xf32>
        %cst_23 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
        %55 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<4x2x2xf32>
        %56 = stablehlo.multiply %54, %55 : tensor<4x2x2xf32>
        %57 = stablehlo.transpose %56, dims = [2, 1, 0] : (tensor<4x2x2xf32>) -> tensor<2x2x4xf32>
        %58 = stablehlo.dot_general %45, %49, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x2x2xf32>, tensor<2x2x4xf32>) -> tensor<2x2x4xf32>
        %59 = stablehlo.add %57, %58 : tensor<2x2x4xf32>
        %c_24 = stablehlo.constant dense<1> : tensor<i32>
        %60 = stablehlo.add %iterArg_3, %c_24 : tensor<i32>
        stablehlo.return %iterArg, %60, %8, %46, %47, %41, %53, %59 : tensor<2x2x4xf32>, tensor<i32>, tensor<i32>, tensor<2x2x4xf32>, tensor<2x2x4xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2x4xf32>
      }
      %5 = stablehlo.broadcast_in_dim %4#6, dims = [0, 1] : (tensor<2x2xf32>) -> tensor<2x2x1xf32>
      %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1, 2] : (tensor<2x2x1xf32>) -> tensor<2x2x4xf32>
      %7 = stablehlo.divide %4#7, %6 : tensor<2x2x4xf32>
      sdy.return %7 : tensor<2x2x4xf32>
    } : (tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
    return %0 : tensor<2x8x4xf32>
  }
  func.func private @remainder(%arg0: tensor<i32>, %arg1: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.remainder %arg0, %2 : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.compare NE, %3, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.compare LT, %3, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %7 = stablehlo.compare NE, %5, %6, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %8 = stablehlo.and %7, %4 : tensor<i1>
    %9 = stablehlo.add %3, %2 : tensor<i32>
    %10 = stablehlo.select %8, %9, %3 : tensor<i1>, tensor<i32>
    return %10 : tensor<i32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @_where_0(%arg0: tensor<2x2xi1>, %arg1: tensor<2x2x2xf32>, %arg2: tensor<f32>) -> tensor<2x2x2xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [1, 2] : (tensor<2x2xi1>) -> tensor<2x2x2xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x2x2xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<2x2x2xi1>, tensor<2x2x2xf32>
    return %3 : tensor<2x2x2xf32>
  }
}
