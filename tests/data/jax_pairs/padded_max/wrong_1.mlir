module @jit__lambda attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  sdy.mesh @mesh_0 = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<16x6xf32>, %arg1: tensor<6x6xf32>) -> (tensor<6xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{}, {}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"x"} (%arg2: tensor<4x6xf32>, %arg3: tensor<6x6xf32>) {
      %1 = stablehlo.iota dim = 0 : tensor<4xi32>
      %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
      %c = stablehlo.constant dense<1> : tensor<ui32>
      %c_0 = stablehlo.constant dense<4> : tensor<ui32>
      %3 = stablehlo.partition_id : tensor<ui32>
      %4 = stablehlo.divide %3, %c : tensor<ui32>
      %5 = stablehlo.remainder %4, %c_0 : tensor<ui32>
      %6 = stablehlo.convert %5 : (tensor<ui32>) -> tensor<i32>
      %c_1 = stablehlo.constant dense<4> : tensor<i32>
      %7 = stablehlo.multiply %c_1, %6 : tensor<i32>
      %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<i32>) -> tensor<4x1xi32>
      %9 = stablehlo.add %2, %8 : tensor<4x1xi32>
      %c_2 = stablehlo.constant dense<9> : tensor<i32>
      %10 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<4x1xi32>
      %11 = stablehlo.compare LT, %9, %10, SIGNED : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x1xi1>
      %12 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x6xf32>, tensor<6x6xf32>) -> tensor<4x6xf32>
      %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %13 = func.call @_where(%11, %12, %cst) : (tensor<4x1xi1>, tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>
      %cst_3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %14 = stablehlo.reduce(%13 init: %cst_3) applies stablehlo.maximum across dimensions = [0] : (tensor<4x6xf32>, tensor<f32>) -> tensor<6xf32>
      %15 = "stablehlo.all_reduce"(%14) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_0, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
      ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
        %16 = stablehlo.maximum %arg4, %arg5 : tensor<f32>
        stablehlo.return %16 : tensor<f32>
      }) : (tensor<6xf32>) -> tensor<6xf32>
      sdy.return %15 : tensor<6xf32>
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
