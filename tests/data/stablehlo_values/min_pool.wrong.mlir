module @jit__lambda attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["i"=4]> {stablehlo.mesh = {axes = [{name = "i", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<4x5x5x1xf32>) -> (tensor<4x5x5x1xf32> {jax.result_info = "result"}) {
    %0:2 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"i"}, {}, {}, {}]>] out_shardings=[<@mesh, [{"i"}, {}, {}, {}]>, <@mesh, [{"i"}, {}, {}, {}]>] manual_axes={"i"} (%arg1: tensor<1x5x5x1xf32>) {
      %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %3 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<f32>
      %4 = "stablehlo.reduce_window"(%arg1, %3) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
      ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
        %7 = stablehlo.maximum %arg2, %arg3 : tensor<f32>
        stablehlo.return %7 : tensor<f32>
      }) : (tensor<1x5x5x1xf32>, tensor<f32>) -> tensor<1x2x2x1xf32>
      %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %5 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<1x2x2x1xf32>
      %6 = stablehlo.add %5, %4 : tensor<1x2x2x1xf32>
      sdy.return %6, %4 : tensor<1x2x2x1xf32>, tensor<1x2x2x1xf32>
    } : (tensor<4x5x5x1xf32>) -> (tensor<4x2x2x1xf32>, tensor<4x2x2x1xf32>)
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %1 = stablehlo.divide %cst, %cst_0 : tensor<f32>
    %2 = sdy.manual_computation(%1, %arg0, %0#0, %0#1) in_shardings=[<@mesh, []>, <@mesh, [{"i"}, {}, {}, {}]>, <@mesh, [{"i"}, {}, {}, {}]>, <@mesh, [{"i"}, {}, {}, {}]>] out_shardings=[<@mesh, [{"i"}, {}, {}, {}]>] manual_axes={"i"} (%arg1: tensor<f32>, %arg2: tensor<1x5x5x1xf32>, %arg3: tensor<1x2x2x1xf32>, %arg4: tensor<1x2x2x1xf32>) {
      %3 = "stablehlo.all_reduce"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
        %11 = stablehlo.add %arg5, %arg6 : tensor<f32>
        stablehlo.return %11 : tensor<f32>
      }) : (tensor<f32>) -> tensor<f32>
      %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<1x2x2x1xf32>
      %5 = stablehlo.multiply %arg4, %4 : tensor<1x2x2x1xf32>
      %6 = stablehlo.multiply %4, %arg3 : tensor<1x2x2x1xf32>
      %7 = stablehlo.add %5, %6 : tensor<1x2x2x1xf32>
      %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %8 = stablehlo.pad %arg2, %cst_1, low = [0, 0, 0, 0], high = [0, 0, 0, 0], interior = [0, 0, 0, 0] : (tensor<1x5x5x1xf32>, tensor<f32>) -> tensor<1x5x5x1xf32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %9 = "stablehlo.select_and_scatter"(%8, %7, %cst_2) <{padding = dense<0> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
      ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
        %11 = stablehlo.compare GE, %arg5, %arg6, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %11 : tensor<i1>
      }, {
      ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
        %11 = stablehlo.add %arg5, %arg6 : tensor<f32>
        stablehlo.return %11 : tensor<f32>
      }) : (tensor<1x5x5x1xf32>, tensor<1x2x2x1xf32>, tensor<f32>) -> tensor<1x5x5x1xf32>
      %10 = stablehlo.slice %9 [0:1, 0:5, 0:5, 0:1] : (tensor<1x5x5x1xf32>) -> tensor<1x5x5x1xf32>
      sdy.return %10 : tensor<1x5x5x1xf32>
    } : (tensor<f32>, tensor<4x5x5x1xf32>, tensor<4x2x2x1xf32>, tensor<4x2x2x1xf32>) -> tensor<4x5x5x1xf32>
    return %2 : tensor<4x5x5x1xf32>
  }
}
