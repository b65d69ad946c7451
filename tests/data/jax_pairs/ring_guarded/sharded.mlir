module @jit_guarded attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
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
      %c_2 = stablehlo.constant dense<0> : tensor<i32>
      %4:8 = stablehlo.while(%iterArg = %arg3, %iterArg_5 = %c_2, %iterArg_6 = %c, %iterArg_7 = %arg4, %iterArg_8 = %arg5, %iterArg_9 = %1, %iterArg_10 = %2, %iterArg_11 = %3) : tensor<4x4xf32>, tensor<i32>, tensor<i32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x4xf32>
      cond {
        %c_12 = stablehlo.constant dense<4> : tensor<i32>
        %11 = stablehlo.compare LT, %iterArg_5, %c_12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %11 : tensor<i1>
      } do {
        %c_12 = stablehlo.constant dense<1> : tensor<i32>
        %11 = stablehlo.add %iterArg_6, %c_12 : tensor<i32>
        %12 = stablehlo.broadcast_in_dim %iterArg, dims = [1, 2] : (tensor<4x4xf32>) -> tensor<1x4x4xf32>
        %13 = stablehlo.broadcast_in_dim %iterArg_7, dims = [1, 2] : (tensor<4x4xf32>) -> tensor<1x4x4xf32>
        %c_13 = stablehlo.constant dense<1> : tensor<ui32>
        %c_14 = stablehlo.constant dense<4> : tensor<ui32>
        %14 = stablehlo.partition_id : tensor<ui32>
        %15 = stablehlo.divide %14, %c_13 : tensor<ui32>
        %16 = stablehlo.remainder %15, %c_14 : tensor<ui32>
        %17 = stablehlo.convert %16 : (tensor<ui32>) -> tensor<i32>
        %c_15 = stablehlo.constant dense<4> : tensor<i32>
        %18 = stablehlo.multiply %17, %c_15 : tensor<i32>
        %c_16 = stablehlo.constant dense<1> : tensor<ui32>
        %c_17 = stablehlo.constant dense<4> : tensor<ui32>
        %19 = stablehlo.partition_id : tensor<ui32>
        %20 = stablehlo.divide %19, %c_16 : tensor<ui32>
        %21 = stablehlo.remainder %20, %c_17 : tensor<ui32>
        %22 = stablehlo.convert %21 : (tensor<ui32>) -> tensor<i32>
        %23 = stablehlo.convert %iterArg_6 : tensor<i32>
        %24 = stablehlo.subtract %22, %23 : tensor<i32>
        %c_18 = stablehlo.constant dense<4> : tensor<i32>
        %25 = func.call @remainder(%24, %c_18) : (tensor<i32>, tensor<i32>) -> tensor<i32>
        %c_19 = stablehlo.constant dense<4> : tensor<i32>
        %26 = stablehlo.multiply %25, %c_19 : tensor<i32>
        %27 = stablehlo.iota dim = 0 : tensor<4xi32>
        %28 = stablehlo.broadcast_in_dim %18, dims = [] : (tensor<i32>) -> tensor<4xi32>
        %29 = stablehlo.add %28, %27 : tensor<4xi32>
        %30 = stablehlo.iota dim = 0 : tensor<4xi32>
        %31 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<i32>) -> tensor<4xi32>
        %32 = stablehlo.add %31, %30 : tensor<4xi32>
        %33 = stablehlo.broadcast_in_dim %29, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
        %34 = stablehlo.broadcast_in_dim %32, dims = [1] : (tensor<4xi32>) -> tensor<1x4xi32>
        %35 = stablehlo.broadcast_in_dim %33, dims = [0, 1] : (tensor<4x1xi32>) -> tensor<4x4xi32>
        %36 = stablehlo.broadcast_in_dim %34, dims = [0, 1] : (tensor<1x4xi32>) -> tensor<4x4xi32>
        %37 = stablehlo.compare GE, %35, %36, SIGNED : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
        %38 = stablehlo.dot_general %12, %13, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<1x4x4xf32>, tensor<1x4x4xf32>) -> tensor<1x4x4xf32>
        %cst_20 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
        %39 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<1x4x4xf32>
        %40 = stablehlo.divide %38, %39 : tensor<1x4x4xf32>
        %cst_21 = stablehlo.constant dense<0xFF800000> : tensor<f32>
        %41 = func.call @_where_0(%37, %40, %cst_21) : (tensor<4x4xi1>, tensor<1x4x4xf32>, tensor<f32>) -> tensor<1x4x4xf32>
        %42 = stablehlo.reshape %41 : (tensor<1x4x4xf32>) -> tensor<4x4xf32>
        %cst_22 = stablehlo.constant dense<0xFF800000> : tensor<f32>
        %43 = stablehlo.reduce(%42 init: %cst_22) applies stablehlo.maximum across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
        %44 = stablehlo.convert %iterArg_9 : tensor<4xf32>
        %45 = stablehlo.maximum %44, %43 : tensor<4xf32>
        %46 = stablehlo.is_finite %45 : (tensor<4xf32>) -> tensor<4xi1>
        %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
        %47 = func.call @_where_1(%46, %45, %cst_23) : (tensor<4xi1>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
        %48 = stablehlo.broadcast_in_dim %47, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
        %49 = stablehlo.broadcast_in_dim %48, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
        %50 = stablehlo.subtract %42, %49 : tensor<4x4xf32>
        %51 = stablehlo.exponential %50 : tensor<4x4xf32>
        %52 = stablehlo.convert %iterArg_9 : tensor<4xf32>
        %53 = stablehlo.subtract %52, %47 : tensor<4xf32>
        %54 = stablehlo.exponential %53 : tensor<4xf32>
        %55 = "stablehlo.collective_permute"(%iterArg_7) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
        %56 = "stablehlo.collective_permute"(%iterArg_8) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
        %57 = stablehlo.multiply %iterArg_10, %54 : tensor<4xf32>
        %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
        %58 = stablehlo.reduce(%51 init: %cst_24) applies stablehlo.add across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
        %59 = stablehlo.add %57, %58 : tensor<4xf32>
        %60 = stablehlo.broadcast_in_dim %54, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
        %61 = stablehlo.broadcast_in_dim %60, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
        %62 = stablehlo.multiply %iterArg_11, %61 : tensor<4x4xf32>
        %63 = stablehlo.dot_general %51, %iterArg_8, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
        %64 = stablehlo.add %62, %63 : tensor<4x4xf32>
        %c_25 = stablehlo.constant dense<1> : tensor<i32>
        %65 = stablehlo.add %iterArg_5, %c_25 : tensor<i32>
        stablehlo.return %iterArg, %65, %11, %55, %56, %45, %59, %64 : tensor<4x4xf32>, tensor<i32>, tensor<i32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x4xf32>
      }
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %5 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %6 = stablehlo.compare EQ, %4#6, %5, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
      %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %7 = func.call @_where_2(%6, %cst_4, %4#6) : (tensor<4xi1>, tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
      %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
      %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
      %10 = stablehlo.divide %4#7, %9 : tensor<4x4xf32>
      sdy.return %10 : tensor<4x4xf32>
    } : (tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x4xf32>
    return %0 : tensor<16x4xf32>
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
  func.func private @_where_0(%arg0: tensor<4x4xi1>, %arg1: tensor<1x4x4xf32>, %arg2: tensor<f32>) -> tensor<1x4x4xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [1, 2] : (tensor<4x4xi1>) -> tensor<1x4x4xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<1x4x4xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<1x4x4xi1>, tensor<1x4x4xf32>
    return %3 : tensor<1x4x4xf32>
  }
  func.func private @_where_1(%arg0: tensor<4xi1>, %arg1: tensor<4xf32>, %arg2: tensor<f32>) -> tensor<4xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<4xi1>, tensor<4xf32>
    return %2 : tensor<4xf32>
  }
  func.func private @_where_2(%arg0: tensor<4xi1>, %arg1: tensor<f32>, %arg2: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<4xi1>, tensor<4xf32>
    return %2 : tensor<4xf32>
  }
}
