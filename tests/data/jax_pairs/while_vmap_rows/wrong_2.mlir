module @jit__lambda attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  sdy.mesh @mesh_0 = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<16x6xf32>, %arg1: tensor<6x6xf32>) -> (tensor<16x6xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg2: tensor<4x6xf32>, %arg3: tensor<6x6xf32>) {
      %c = stablehlo.constant dense<0> : tensor<i32>
      %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %3:4 = stablehlo.while(%iterArg = %arg3, %iterArg_0 = %1, %iterArg_1 = %arg2, %iterArg_2 = %2) : tensor<6x6xf32>, tensor<4xi32>, tensor<4x6xf32>, tensor<4xf32>
      cond {
        %c_3 = stablehlo.constant dense<4> : tensor<i32>
        %4 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<4xi32>
        %5 = stablehlo.compare LT, %iterArg_0, %4, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
        %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
        %6 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4xf32>
        %7 = stablehlo.compare GT, %iterArg_2, %6, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
        %c_5 = stablehlo.constant dense<false> : tensor<i1>
        %8 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i1>) -> tensor<4xi1>
        %9 = stablehlo.compare NE, %5, %8, UNSIGNED : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
        %10 = stablehlo.convert %9 : tensor<4xi1>
        %11 = stablehlo.and %10, %7 : tensor<4xi1>
        %c_6 = stablehlo.constant dense<false> : tensor<i1>
        %12 = stablehlo.reduce(%11 init: %c_6) applies stablehlo.or across dimensions = [0] : (tensor<4xi1>, tensor<i1>) -> tensor<i1>
        stablehlo.return %12 : tensor<i1>
      } do {
        %4 = stablehlo.dot_general %iterArg_1, %iterArg, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x6xf32>, tensor<6x6xf32>) -> tensor<4x6xf32>
        %5 = "stablehlo.all_reduce"(%4) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_0, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
        ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
          %29 = stablehlo.add %arg4, %arg5 : tensor<f32>
          stablehlo.return %29 : tensor<f32>
        }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
        %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
        %6 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
        %7 = stablehlo.multiply %6, %5 : tensor<4x6xf32>
        %8 = stablehlo.add %4, %7 : tensor<4x6xf32>
        %9 = stablehlo.tanh %8 : tensor<4x6xf32>
        %c_4 = stablehlo.constant dense<1> : tensor<i32>
        %10 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<4xi32>
        %11 = stablehlo.add %iterArg_0, %10 : tensor<4xi32>
        %12 = stablehlo.subtract %9, %iterArg_1 : tensor<4x6xf32>
        %13 = stablehlo.abs %12 : tensor<4x6xf32>
        %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
        %14 = stablehlo.reduce(%13 init: %cst_5) applies stablehlo.add across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
        %c_6 = stablehlo.constant dense<4> : tensor<i32>
        %15 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<4xi32>
        %16 = stablehlo.compare LT, %iterArg_0, %15, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
        %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
        %17 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<4xf32>
        %18 = stablehlo.compare GT, %iterArg_2, %17, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
        %c_8 = stablehlo.constant dense<false> : tensor<i1>
        %19 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i1>) -> tensor<4xi1>
        %20 = stablehlo.compare NE, %16, %19, UNSIGNED : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
        %21 = stablehlo.convert %20 : tensor<4xi1>
        %22 = stablehlo.and %21, %18 : tensor<4xi1>
        %23 = stablehlo.broadcast_in_dim %22, dims = [0] : (tensor<4xi1>) -> tensor<4xi1>
        %24 = stablehlo.select %23, %11, %iterArg_0 : tensor<4xi1>, tensor<4xi32>
        %25 = stablehlo.broadcast_in_dim %22, dims = [0] : (tensor<4xi1>) -> tensor<4x6xi1>
        %26 = stablehlo.select %25, %9, %iterArg_1 : tensor<4x6xi1>, tensor<4x6xf32>
        %27 = stablehlo.broadcast_in_dim %22, dims = [0] : (tensor<4xi1>) -> tensor<4xi1>
        %28 = stablehlo.select %27, %14, %iterArg_2 : tensor<4xi1>, tensor<4xf32>
        stablehlo.return %iterArg, %24, %26, %28 : tensor<6x6xf32>, tensor<4xi32>, tensor<4x6xf32>, tensor<4xf32>
      }
      sdy.return %3#2 : tensor<4x6xf32>
    } : (tensor<16x6xf32>, tensor<6x6xf32>) -> tensor<16x6xf32>
    return %0 : tensor<16x6xf32>
  }
}
