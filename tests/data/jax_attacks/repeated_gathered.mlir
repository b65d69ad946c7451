module @jit__lambda attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  sdy.mesh @mesh_0 = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<8x4xf32>) -> (tensor<4xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{}, {}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"x"} (%arg1: tensor<8x4xf32>) {
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %2 = stablehlo.slice %arg1 [0:1, 0:4] : (tensor<8x4xf32>) -> tensor<1x4xf32>
      %3 = stablehlo.reshape %2 : (tensor<1x4xf32>) -> tensor<4xf32>
      %values, %indices = chlo.top_k(%3, k = 2) : tensor<4xf32> -> (tensor<2xf32>, tensor<2xi32>)
      %4 = stablehlo.broadcast_in_dim %indices, dims = [1] : (tensor<2xi32>) -> tensor<1x2xi32>
      %5 = "stablehlo.all_gather"(%4) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_0, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<1x2xi32>) -> tensor<4x2xi32>
      %6 = stablehlo.reshape %5 : (tensor<4x2xi32>) -> tensor<8xi32>
      %7 = stablehlo.slice %arg1 [0:8, 0:1] : (tensor<8x4xf32>) -> tensor<8x1xf32>
      %8 = stablehlo.reshape %7 : (tensor<8x1xf32>) -> tensor<8xf32>
      %c = stablehlo.constant dense<0> : tensor<i32>
      %9 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8xi32>
      %10 = stablehlo.compare LT, %6, %9, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
      %c_0 = stablehlo.constant dense<4> : tensor<i32>
      %11 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8xi32>
      %12 = stablehlo.add %6, %11 : tensor<8xi32>
      %13 = stablehlo.select %10, %12, %6 : tensor<8xi1>, tensor<8xi32>
      %14 = stablehlo.broadcast_in_dim %13, dims = [0] : (tensor<8xi32>) -> tensor<8x1xi32>
      %15 = "stablehlo.scatter"(%1, %14, %8) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
      ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
        stablehlo.return %arg3 : tensor<f32>
      }) : (tensor<4xf32>, tensor<8x1xi32>, tensor<8xf32>) -> tensor<4xf32>
      sdy.return %15 : tensor<4xf32>
    } : (tensor<8x4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
