module @jit__lambda attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  sdy.mesh @mesh_0 = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<16x6xf32>, %arg1: tensor<6x6xf32>) -> (tensor<6x6xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{}, {}]>] out_shardings=[<@mesh, [{}, {}]>] manual_axes={"x"} (%arg2: tensor<4x6xf32>, %arg3: tensor<6x6xf32>) {
      %1 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x6xf32>, tensor<6x6xf32>) -> tensor<4x6xf32>
      %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
      %3 = stablehlo.multiply %2, %1 : tensor<4x6xf32>
      %4 = stablehlo.negate %1 : tensor<4x6xf32>
      %cst_0 = stablehlo.constant dense<0.707106769> : tensor<f32>
      %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
      %6 = stablehlo.multiply %4, %5 : tensor<4x6xf32>
      %7 = chlo.erfc %6 : tensor<4x6xf32> -> tensor<4x6xf32>
      %8 = stablehlo.abs %6 : tensor<4x6xf32>
      %cst_1 = stablehlo.constant dense<1.100000e+01> : tensor<f32>
      %9 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
      %10 = stablehlo.minimum %8, %9 : tensor<4x6xf32>
      %11 = stablehlo.bitcast_convert %10 : (tensor<4x6xf32>) -> tensor<4x6xui32>
      %c = stablehlo.constant dense<4294963200> : tensor<ui32>
      %12 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui32>) -> tensor<4x6xui32>
      %13 = stablehlo.and %11, %12 : tensor<4x6xui32>
      %14 = stablehlo.bitcast_convert %13 : (tensor<4x6xui32>) -> tensor<4x6xf32>
      %15 = stablehlo.subtract %10, %14 : tensor<4x6xf32>
      %16 = stablehlo.multiply %14, %14 : tensor<4x6xf32>
      %17 = stablehlo.add %10, %14 : tensor<4x6xf32>
      %18 = stablehlo.multiply %15, %17 : tensor<4x6xf32>
      %19 = stablehlo.negate %16 : tensor<4x6xf32>
      %20 = stablehlo.exponential %14 : tensor<4x6xf32>
      %21 = stablehlo.exponential %19 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4x6xf32>
      %22 = stablehlo.negate %18 : tensor<4x6xf32>
      %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %cst_3 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %cst_4 = stablehlo.constant dense<0.166666672> : tensor<f32>
      %cst_5 = stablehlo.constant dense<0.0416666679> : tensor<f32>
      %cst_6 = stablehlo.constant dense<0.00833333377> : tensor<f32>
      %23 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
      %24 = stablehlo.multiply %23, %22 : tensor<4x6xf32>
      %25 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
      %26 = stablehlo.add %24, %25 : tensor<4x6xf32>
      %27 = stablehlo.multiply %26, %22 : tensor<4x6xf32>
      %28 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
      %29 = stablehlo.add %27, %28 : tensor<4x6xf32>
      %30 = stablehlo.multiply %29, %22 : tensor<4x6xf32>
      %31 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
      %32 = stablehlo.add %30, %31 : tensor<4x6xf32>
      %33 = stablehlo.multiply %32, %22 : tensor<4x6xf32>
      %34 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
      %35 = stablehlo.add %33, %34 : tensor<4x6xf32>
      %36 = stablehlo.multiply %22, %35 : tensor<4x6xf32>
      %37 = stablehlo.multiply %34, %36 : tensor<4x6xf32>
      %38 = stablehlo.add %21, %37 : tensor<4x6xf32>
      %39 = stablehlo.multiply %3, %7 : tensor<4x6xf32>
      %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %40 = stablehlo.reduce(%39 init: %cst_7) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
      %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %41 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
      %42 = stablehlo.multiply %3, %41 : tensor<4x6xf32>
      %43 = stablehlo.multiply %41, %7 : tensor<4x6xf32>
      %cst_9 = stablehlo.constant dense<-1.12837923> : tensor<f32>
      %44 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
      %45 = stablehlo.multiply %44, %42 : tensor<4x6xf32>
      %46 = stablehlo.multiply %45, %38 : tensor<4x6xf32>
      %cst_10 = stablehlo.constant dense<0.707106769> : tensor<f32>
      %47 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
      %48 = stablehlo.multiply %46, %47 : tensor<4x6xf32>
      %49 = stablehlo.negate %48 : tensor<4x6xf32>
      %cst_11 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %50 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
      %51 = stablehlo.multiply %50, %43 : tensor<4x6xf32>
      %52 = stablehlo.add %49, %51 : tensor<4x6xf32>
      %53 = stablehlo.dot_general %52, %arg2, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<6x6xf32>
      %54 = stablehlo.transpose %53, dims = [1, 0] : (tensor<6x6xf32>) -> tensor<6x6xf32>
      %55 = "stablehlo.all_reduce"(%54) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_0, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
      ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
        %56 = stablehlo.add %arg4, %arg5 : tensor<f32>
        stablehlo.return %56 : tensor<f32>
      }) : (tensor<6x6xf32>) -> tensor<6x6xf32>
      sdy.return %55 : tensor<6x6xf32>
    } : (tensor<16x6xf32>, tensor<6x6xf32>) -> tensor<6x6xf32>
    return %0 : tensor<6x6xf32>
  }
}
