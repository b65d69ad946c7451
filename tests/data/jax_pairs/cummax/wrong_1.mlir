module @jit__lambda attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  sdy.mesh @mesh_0 = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<16x6xf32>) -> (tensor<16x6xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg1: tensor<4x6xf32>) {
      %1 = func.call @cummax(%arg1) : (tensor<4x6xf32>) -> tensor<4x6xf32>
      %2 = stablehlo.slice %1 [3:4, 0:6] : (tensor<4x6xf32>) -> tensor<1x6xf32>
      %3 = stablehlo.reshape %2 : (tensor<1x6xf32>) -> tensor<6xf32>
      %4 = stablehlo.broadcast_in_dim %3, dims = [1] : (tensor<6xf32>) -> tensor<1x6xf32>
      %5 = "stablehlo.all_gather"(%4) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_0, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<1x6xf32>) -> tensor<4x6xf32>
      %6 = stablehlo.iota dim = 0 : tensor<4xi32>
      %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
      %c = stablehlo.constant dense<1> : tensor<ui32>
      %c_0 = stablehlo.constant dense<4> : tensor<ui32>
      %8 = stablehlo.partition_id : tensor<ui32>
      %9 = stablehlo.divide %8, %c : tensor<ui32>
      %10 = stablehlo.remainder %9, %c_0 : tensor<ui32>
      %11 = stablehlo.convert %10 : (tensor<ui32>) -> tensor<i32>
      %12 = stablehlo.broadcast_in_dim %11, dims = [] : (tensor<i32>) -> tensor<4x1xi32>
      %13 = stablehlo.compare LT, %7, %12, SIGNED : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x1xi1>
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %14 = func.call @_where(%13, %5, %cst) : (tensor<4x1xi1>, tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>
      %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %15 = stablehlo.reduce(%14 init: %cst_1) applies stablehlo.maximum across dimensions = [0] : (tensor<4x6xf32>, tensor<f32>) -> tensor<6xf32>
      %16 = stablehlo.broadcast_in_dim %15, dims = [1] : (tensor<6xf32>) -> tensor<1x6xf32>
      %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1] : (tensor<1x6xf32>) -> tensor<4x6xf32>
      %18 = stablehlo.maximum %1, %17 : tensor<4x6xf32>
      sdy.return %18 : tensor<4x6xf32>
    } : (tensor<16x6xf32>) -> tensor<16x6xf32>
    return %0 : tensor<16x6xf32>
  }
  func.func private @cummax(%arg0: tensor<4x6xf32>) -> tensor<4x6xf32> {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[3, 0], [0, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 4, 1>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.maximum %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>
    return %1 : tensor<4x6xf32>
  }
  func.func private @_where(%arg0: tensor<4x1xi1>, %arg1: tensor<4x6xf32>, %arg2: tensor<f32>) -> tensor<4x6xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<4x1xi1>) -> tensor<4x6xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<4x6xi1>, tensor<4x6xf32>
    return %3 : tensor<4x6xf32>
  }
}
