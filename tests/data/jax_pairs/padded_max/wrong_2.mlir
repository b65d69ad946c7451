module @jit__lambda attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  sdy.mesh @mesh_0 = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<16x6xf32>, %arg1: tensor<6x6xf32>) -> (tensor<6xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{}, {}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"x"} (%arg2: tensor<4x6xf32>, %arg3: tensor<6x6xf32>) {
      %1 = stablehlo.negate %arg2 : tensor<4x6xf32>
      %2 = stablehlo.iota dim = 0 : tensor<4xi32>
      %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
      %c = stablehlo.constant dense<1> : tensor<ui32>
      %c_0 = stablehlo.constant dense<4> : tensor<ui32>
      %4 = stablehlo.partition_id : tensor<ui32>
      %5 = stablehlo.divide %4, %c : tensor<ui32>
      %6 = stablehlo.remainder %5, %c_0 : tensor<ui32>
      %7 = stablehlo.convert %6 : (tensor<ui32>) -> tensor<i32>
      %c_1 = stablehlo.constant dense<4> : tensor<i32>
      %8 = stablehlo.multiply %c_1, %7 : tensor<i32>
      %9 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<i32>) -> tensor<4x1xi32>
      %10 = stablehlo.add %3, %9 : tensor<4x1xi32>
      %c_2 = stablehlo.constant dense<13> : tensor<i32>
      %11 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<4x1xi32>
      %12 = stablehlo.compare LT, %10, %11, SIGNED : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x1xi1>
      %13 = stablehlo.dot_general %1, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x6xf32>, tensor<6x6xf32>) -> tensor<4x6xf32>
      %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %14 = func.call @_where(%12, %13, %cst) : (tensor<4x1xi1>, tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>
      %cst_3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %15 = stablehlo.reduce(%14 init: %cst_3) applies stablehlo.maximum across dimensions = [0] : (tensor<4x6xf32>, tensor<f32>) -> tensor<6xf32>
      %16 = "stablehlo.all_reduce"(%15) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_0, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
      ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
        %18 = stablehlo.maximum %arg4, %arg5 : tensor<f32>
        stablehlo.return %18 : tensor<f32>
      }) : (tensor<6xf32>) -> tensor<6xf32>
      %17 = stablehlo.negate %16 : tensor<6xf32>
      sdy.return %17 : tensor<6xf32>
    } : (tensor<16x6xf32>, tensor<6x6xf32>) -> tensor<6xf32>
    return %0 : tensor<6xf32>
  }
  func.func private @_where(%arg0: tensor<4x1xi1>, %arg1: tensor<4x6xf32>, %arg2: tensor<f32>) -> tensor<4x6xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<4x1xi1>) -> tensor<4x6xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<4x6xi1>, tensor<4x6xf32>
    return %3 : tensor<4x6xf32>
  }
}
