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
      %c_2 = stablehlo.constant dense<0> : tensor<i32>
      %4:8 = stablehlo.while(%iterArg = %arg3, %iterArg_5 = %c_2, %iterArg_6 = %c, %iterArg_7 = %arg4, %iterArg_8 = %arg5, %iterArg_9 = %1, %iterArg_10 = %2, %iterArg_11 = %3) : tensor<4x4xf32>, tensor<i32>, tensor<i32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x4xf32>
      cond {
        %c_12 = stablehlo.constant dense<4> : tensor<i32>
        %11 = stablehlo.compare LT, %iterArg_5, %c_12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %11 : tensor<i1>
      } do {
        %11:6 = func.call @closed_call(%iterArg, %iterArg_6, %iterArg_7, %iterArg_8, %iterArg_9, %iterArg_10, %iterArg_11) : (tensor<4x4xf32>, tensor<i32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x4xf32>) -> (tensor<i32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x4xf32>)
        %c_12 = stablehlo.constant dense<1> : tensor<i32>
        %12 = stablehlo.add %iterArg_5, %c_12 : tensor<i32>
        stablehlo.return %iterArg, %12, %11#0, %11#1, %11#2, %11#3, %11#4, %11#5 : tensor<4x4xf32>, tensor<i32>, tensor<i32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x4xf32>
      }
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %5 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %6 = stablehlo.compare EQ, %4#6, %5, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
      %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %7 = func.call @_where_1(%6, %cst_4, %4#6) : (tensor<4xi1>, tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
      %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
      %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
      %10 = stablehlo.divide %4#7, %9 : tensor<4x4xf32>
      sdy.return %10 : tensor<4x4xf32>
    } : (tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x4xf32>
    return %0 : tensor<16x4xf32>
  }
  func.func private @closed_call(%arg0: tensor<4x4xf32>, %arg1: tensor<i32>, %arg2: tensor<4x4xf32>, %arg3: tensor<4x4xf32>, %arg4: tensor<4xf32>, %arg5: tensor<4xf32>, %arg6: tensor<4x4xf32>) -> (tensor<i32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x4xf32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg1, %c : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [1, 2] : (tensor<4x4xf32>) -> tensor<1x4x4xf32>
    %2 = stablehlo.broadcast_in_dim %arg2, dims = [1, 2] : (tensor<4x4xf32>) -> tensor<1x4x4xf32>
    %c_0 = stablehlo.constant dense<1> : tensor<ui32>
    %c_1 = stablehlo.constant dense<4> : tensor<ui32>
    %3 = stablehlo.partition_id : tensor<ui32>
    %4 = stablehlo.divide %3, %c_0 : tensor<ui32>
    %5 = stablehlo.remainder %4, %c_1 : tensor<ui32>
    %6 = stablehlo.convert %5 : (tensor<ui32>) -> tensor<i32>
    %c_2 = stablehlo.constant dense<4> : tensor<i32>
    %7 = stablehlo.multiply %6, %c_2 : tensor<i32>
    %c_3 = stablehlo.constant dense<1> : tensor<ui32>
    %c_4 = stablehlo.constant dense<4> : tensor<ui32>
    %8 = stablehlo.partition_id : tensor<ui32>
    %9 = stablehlo.divide %8, %c_3 : tensor<ui32>
    %10 = stablehlo.remainder %9, %c_4 : tensor<ui32>
    %11 = stablehlo.convert %10 : (tensor<ui32>) -> tensor<i32>
    %12 = stablehlo.convert %arg1 : tensor<i32>
    %13 = stablehlo.add %11, %12 : tensor<i32>
    %c_5 = stablehlo.constant dense<4> : tensor<i32>
    %14 = call @remainder(%13, %c_5) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %c_6 = stablehlo.constant dense<4> : tensor<i32>
    %15 = stablehlo.multiply %14, %c_6 : tensor<i32>
    %16 = stablehlo.iota dim = 0 : tensor<4xi32>
    %17 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %18 = stablehlo.add %17, %16 : tensor<4xi32>
    %19 = stablehlo.iota dim = 0 : tensor<4xi32>
    %20 = stablehlo.broadcast_in_dim %15, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %21 = stablehlo.add %20, %19 : tensor<4xi32>
    %22 = stablehlo.broadcast_in_dim %18, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
    %23 = stablehlo.broadcast_in_dim %21, dims = [1] : (tensor<4xi32>) -> tensor<1x4xi32>
    %24 = stablehlo.broadcast_in_dim %22, dims = [0, 1] : (tensor<4x1xi32>) -> tensor<4x4xi32>
    %25 = stablehlo.broadcast_in_dim %23, dims = [0, 1] : (tensor<1x4xi32>) -> tensor<4x4xi32>
    %26 = stablehlo.compare GE, %24, %25, SIGNED : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
    %27 = stablehlo.dot_general %1, %2, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<1x4x4xf32>, tensor<1x4x4xf32>) -> tensor<1x4x4xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1x4x4xf32>
    %29 = stablehlo.divide %27, %28 : tensor<1x4x4xf32>
    %cst_7 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %30 = call @_where_0(%26, %29, %cst_7) : (tensor<4x4xi1>, tensor<1x4x4xf32>, tensor<f32>) -> tensor<1x4x4xf32>
    %31 = stablehlo.reshape %30 : (tensor<1x4x4xf32>) -> tensor<4x4xf32>
    %cst_8 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %32 = stablehlo.reduce(%31 init: %cst_8) applies stablehlo.maximum across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
    %33 = stablehlo.convert %arg4 : tensor<4xf32>
    %34 = stablehlo.maximum %33, %32 : tensor<4xf32>
    %35 = call @isinf(%34) : (tensor<4xf32>) -> tensor<4xi1>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %36 = call @_where_1(%35, %cst_9, %34) : (tensor<4xi1>, tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
    %38 = stablehlo.broadcast_in_dim %37, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
    %39 = stablehlo.subtract %31, %38 : tensor<4x4xf32>
    %40 = stablehlo.exponential %39 : tensor<4x4xf32>
    %41 = stablehlo.convert %arg4 : tensor<4xf32>
    %42 = stablehlo.subtract %41, %36 : tensor<4xf32>
    %43 = stablehlo.exponential %42 : tensor<4xf32>
    %44 = "stablehlo.collective_permute"(%arg2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %45 = "stablehlo.collective_permute"(%arg3) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %46 = stablehlo.multiply %arg5, %43 : tensor<4xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %47 = stablehlo.reduce(%40 init: %cst_10) applies stablehlo.add across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
    %48 = stablehlo.add %46, %47 : tensor<4xf32>
    %49 = stablehlo.broadcast_in_dim %43, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
    %50 = stablehlo.broadcast_in_dim %49, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
    %51 = stablehlo.multiply %arg6, %50 : tensor<4x4xf32>
    %52 = stablehlo.dot_general %40, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %53 = stablehlo.add %51, %52 : tensor<4x4xf32>
    return %0, %44, %45, %34, %48, %53 : tensor<i32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x4xf32>
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
  func.func private @isinf(%arg0: tensor<4xf32>) -> tensor<4xi1> {
    %0 = stablehlo.abs %arg0 : tensor<4xf32>
    %cst = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %2 = stablehlo.compare EQ, %0, %1, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    return %2 : tensor<4xi1>
  }
  func.func private @_where_1(%arg0: tensor<4xi1>, %arg1: tensor<f32>, %arg2: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<4xi1>, tensor<4xf32>
    return %2 : tensor<4xf32>
  }
}
