module @jit__lambda attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  sdy.mesh @mesh_0 = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<16x8xf32>, %arg1: tensor<16xi32>) -> (tensor<16xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{}, {"x"}]>, <@mesh, [{}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"x"} (%arg2: tensor<16x2xf32>, %arg3: tensor<16xi32>) {
      %c = stablehlo.constant dense<1> : tensor<ui32>
      %c_0 = stablehlo.constant dense<4> : tensor<ui32>
      %1 = stablehlo.partition_id : tensor<ui32>
      %2 = stablehlo.divide %1, %c : tensor<ui32>
      %3 = stablehlo.remainder %2, %c_0 : tensor<ui32>
      %4 = stablehlo.convert %3 : (tensor<ui32>) -> tensor<i32>
      %c_1 = stablehlo.constant dense<2> : tensor<i32>
      %5 = stablehlo.multiply %c_1, %4 : tensor<i32>
      %6 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<i32>) -> tensor<16xi32>
      %7 = stablehlo.compare GE, %arg3, %6, SIGNED : (tensor<16xi32>, tensor<16xi32>) -> tensor<16xi1>
      %c_2 = stablehlo.constant dense<1> : tensor<ui32>
      %c_3 = stablehlo.constant dense<4> : tensor<ui32>
      %8 = stablehlo.partition_id : tensor<ui32>
      %9 = stablehlo.divide %8, %c_2 : tensor<ui32>
      %10 = stablehlo.remainder %9, %c_3 : tensor<ui32>
      %11 = stablehlo.convert %10 : (tensor<ui32>) -> tensor<i32>
      %c_4 = stablehlo.constant dense<2> : tensor<i32>
      %12 = stablehlo.multiply %c_4, %11 : tensor<i32>
      %c_5 = stablehlo.constant dense<1> : tensor<i32>
      %13 = stablehlo.add %12, %c_5 : tensor<i32>
      %14 = stablehlo.broadcast_in_dim %13, dims = [] : (tensor<i32>) -> tensor<16xi32>
      %15 = stablehlo.compare LT, %arg3, %14, SIGNED : (tensor<16xi32>, tensor<16xi32>) -> tensor<16xi1>
      %16 = stablehlo.and %7, %15 : tensor<16xi1>
      %c_6 = stablehlo.constant dense<1> : tensor<ui32>
      %c_7 = stablehlo.constant dense<4> : tensor<ui32>
      %17 = stablehlo.partition_id : tensor<ui32>
      %18 = stablehlo.divide %17, %c_6 : tensor<ui32>
      %19 = stablehlo.remainder %18, %c_7 : tensor<ui32>
      %20 = stablehlo.convert %19 : (tensor<ui32>) -> tensor<i32>
      %c_8 = stablehlo.constant dense<2> : tensor<i32>
      %21 = stablehlo.multiply %c_8, %20 : tensor<i32>
      %22 = stablehlo.broadcast_in_dim %21, dims = [] : (tensor<i32>) -> tensor<16xi32>
      %23 = stablehlo.subtract %arg3, %22 : tensor<16xi32>
      %c_9 = stablehlo.constant dense<0> : tensor<i32>
      %24 = func.call @_where(%16, %23, %c_9) : (tensor<16xi1>, tensor<16xi32>, tensor<i32>) -> tensor<16xi32>
      %25 = stablehlo.broadcast_in_dim %24, dims = [0] : (tensor<16xi32>) -> tensor<16x1xi32>
      %26 = func.call @take_along_axis(%arg2, %25) : (tensor<16x2xf32>, tensor<16x1xi32>) -> tensor<16x1xf32>
      %27 = stablehlo.reshape %26 : (tensor<16x1xf32>) -> tensor<16xf32>
      %c_10 = stablehlo.constant dense<0> : tensor<i32>
      %28 = func.call @_where_0(%16, %27, %c_10) : (tensor<16xi1>, tensor<16xf32>, tensor<i32>) -> tensor<16xf32>
      %29 = "stablehlo.all_reduce"(%28) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_0, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
      ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
        %30 = stablehlo.add %arg4, %arg5 : tensor<f32>
        stablehlo.return %30 : tensor<f32>
      }) : (tensor<16xf32>) -> tensor<16xf32>
      sdy.return %29 : tensor<16xf32>
    } : (tensor<16x8xf32>, tensor<16xi32>) -> tensor<16xf32>
    return %0 : tensor<16xf32>
  }
  func.func private @_where(%arg0: tensor<16xi1>, %arg1: tensor<16xi32>, %arg2: tensor<i32>) -> tensor<16xi32> {
    %0 = stablehlo.convert %arg2 : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<16xi32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<16xi1>, tensor<16xi32>
    return %2 : tensor<16xi32>
  }
  func.func private @take_along_axis(%arg0: tensor<16x2xf32>, %arg1: tensor<16x1xi32>) -> tensor<16x1xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<16x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<16x1xi32>, tensor<16x1xi32>) -> tensor<16x1xi1>
    %c_0 = stablehlo.constant dense<2> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<16x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<16x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<16x1xi1>, tensor<16x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<16x1xi32>) -> tensor<16x1x1xi32>
    %c_1 = stablehlo.constant dense<1> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<16x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<16x1x1xi32>, tensor<16x1x1xi32>) -> tensor<16x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [2] : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<1x1x1xi32>) -> tensor<16x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<16x1x1xi32>, tensor<16x1x1xi32>) -> tensor<16x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<16x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [2] : (tensor<16x1x1xi1>, tensor<i1>) -> tensor<16x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<16x2xf32>, tensor<16x1x1xi32>) -> tensor<16x1xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<16x1xi1>, tensor<16x1xf32>
    return %15 : tensor<16x1xf32>
  }
  func.func private @_where_0(%arg0: tensor<16xi1>, %arg1: tensor<16xf32>, %arg2: tensor<i32>) -> tensor<16xf32> {
    %0 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<16xi1>, tensor<16xf32>
    return %2 : tensor<16xf32>
  }
}
