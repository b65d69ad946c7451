module @jit__lambda attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<2x8x4xf32>, %arg1: tensor<1x8x4xf32>, %arg2: tensor<1x8x4xf32>) -> (tensor<2x8x4xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0, %arg1, %arg2) in_shardings=[<@mesh, [{}, {"x"}, {}]>, <@mesh, [{}, {"x"}, {}]>, <@mesh, [{}, {"x"}, {}]>] out_shardings=[<@mesh, [{}, {"x"}, {}]>] manual_axes={"x"} (%arg3: tensor<2x2x4xf32>, %arg4: tensor<1x2x4xf32>, %arg5: tensor<1x2x4xf32>) {
      %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
      %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %3 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x2x4xf32>
      %4 = stablehlo.broadcast_in_dim %arg4, dims = [0, 2, 3] : (tensor<1x2x4xf32>) -> tensor<1x2x2x4xf32>
      %5 = stablehlo.reshape %4 : (tensor<1x2x2x4xf32>) -> tensor<2x2x4xf32>
      %c = stablehlo.constant dense<1> : tensor<ui32>
      %c_2 = stablehlo.constant dense<4> : tensor<ui32>
      %6 = stablehlo.partition_id : tensor<ui32>
      %7 = stablehlo.divide %6, %c : tensor<ui32>
      %8 = stablehlo.remainder %7, %c_2 : tensor<ui32>
      %9 = stablehlo.convert %8 : (tensor<ui32>) -> tensor<i32>
      %c_3 = stablehlo.constant dense<2> : tensor<i32>
      %10 = stablehlo.multiply %9, %c_3 : tensor<i32>
      %c_4 = stablehlo.constant dense<1> : tensor<ui32>
      %c_5 = stablehlo.constant dense<4> : tensor<ui32>
      %11 = stablehlo.partition_id : tensor<ui32>
      %12 = stablehlo.divide %11, %c_4 : tensor<ui32>
      %13 = stablehlo.remainder %12, %c_5 : tensor<ui32>
      %14 = stablehlo.convert %13 : (tensor<ui32>) -> tensor<i32>
      %c_6 = stablehlo.constant dense<0> : tensor<i32>
      %15 = stablehlo.subtract %14, %c_6 : tensor<i32>
      %c_7 = stablehlo.constant dense<4> : tensor<i32>
      %16 = func.call @remainder(%15, %c_7) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_8 = stablehlo.constant dense<2> : tensor<i32>
      %17 = stablehlo.multiply %16, %c_8 : tensor<i32>
      %18 = stablehlo.iota dim = 0 : tensor<2xi32>
      %19 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %20 = stablehlo.add %19, %18 : tensor<2xi32>
      %21 = stablehlo.iota dim = 0 : tensor<2xi32>
      %22 = stablehlo.broadcast_in_dim %17, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %23 = stablehlo.add %22, %21 : tensor<2xi32>
      %24 = stablehlo.broadcast_in_dim %20, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
      %25 = stablehlo.broadcast_in_dim %23, dims = [1] : (tensor<2xi32>) -> tensor<1x2xi32>
      %26 = stablehlo.broadcast_in_dim %24, dims = [0, 1] : (tensor<2x1xi32>) -> tensor<2x2xi32>
      %27 = stablehlo.broadcast_in_dim %25, dims = [0, 1] : (tensor<1x2xi32>) -> tensor<2x2xi32>
      %28 = stablehlo.compare GE, %26, %27, SIGNED : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi1>
      %29 = stablehlo.dot_general %arg3, %5, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x2x4xf32>, tensor<2x2x4xf32>) -> tensor<2x2x2xf32>
      %cst_9 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %30 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<2x2x2xf32>
      %31 = stablehlo.divide %29, %30 : tensor<2x2x2xf32>
      %cst_10 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %32 = func.call @_where_0(%28, %31, %cst_10) : (tensor<2x2xi1>, tensor<2x2x2xf32>, tensor<f32>) -> tensor<2x2x2xf32>
      %cst_11 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %33 = stablehlo.reduce(%32 init: %cst_11) applies stablehlo.maximum across dimensions = [2] : (tensor<2x2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
      %34 = stablehlo.convert %1 : tensor<2x2xf32>
      %35 = stablehlo.maximum %34, %33 : tensor<2x2xf32>
      %36 = stablehlo.broadcast_in_dim %35, dims = [0, 1] : (tensor<2x2xf32>) -> tensor<2x2x1xf32>
      %37 = stablehlo.broadcast_in_dim %36, dims = [0, 1, 2] : (tensor<2x2x1xf32>) -> tensor<2x2x2xf32>
      %38 = stablehlo.subtract %32, %37 : tensor<2x2x2xf32>
      %39 = stablehlo.exponential %38 : tensor<2x2x2xf32>
      %40 = "stablehlo.collective_permute"(%arg4) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
      %41 = "stablehlo.collective_permute"(%arg5) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
      %42 = stablehlo.broadcast_in_dim %arg5, dims = [0, 2, 3] : (tensor<1x2x4xf32>) -> tensor<1x2x2x4xf32>
      %43 = stablehlo.reshape %42 : (tensor<1x2x2x4xf32>) -> tensor<2x2x4xf32>
      %cst_12 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %44 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
      %45 = stablehlo.multiply %2, %44 : tensor<2x2xf32>
      %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %46 = stablehlo.reduce(%39 init: %cst_13) applies stablehlo.add across dimensions = [2] : (tensor<2x2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
      %47 = stablehlo.add %45, %46 : tensor<2x2xf32>
      %48 = stablehlo.transpose %3, dims = [2, 1, 0] : (tensor<2x2x4xf32>) -> tensor<4x2x2xf32>
      %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %49 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<4x2x2xf32>
      %50 = stablehlo.multiply %48, %49 : tensor<4x2x2xf32>
      %51 = stablehlo.transpose %50, dims = [2, 1, 0] : (tensor<4x2x2xf32>) -> tensor<2x2x4xf32>
      %52 = stablehlo.dot_general %39, %43, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x2x2xf32>, tensor<2x2x4xf32>) -> tensor<2x2x4xf32>
      %53 = stablehlo.add %51, %52 : tensor<2x2x4xf32>
      %54 = stablehlo.broadcast_in_dim %40, dims = [0, 2, 3] : (tensor<1x2x4xf32>) -> tensor<1x2x2x4xf32>
      %55 = stablehlo.reshape %54 : (tensor<1x2x2x4xf32>) -> tensor<2x2x4xf32>
      %c_15 = stablehlo.constant dense<1> : tensor<ui32>
      %c_16 = stablehlo.constant dense<4> : tensor<ui32>
      %56 = stablehlo.partition_id : tensor<ui32>
      %57 = stablehlo.divide %56, %c_15 : tensor<ui32>
      %58 = stablehlo.remainder %57, %c_16 : tensor<ui32>
      %59 = stablehlo.convert %58 : (tensor<ui32>) -> tensor<i32>
      %c_17 = stablehlo.constant dense<2> : tensor<i32>
      %60 = stablehlo.multiply %59, %c_17 : tensor<i32>
      %c_18 = stablehlo.constant dense<1> : tensor<ui32>
      %c_19 = stablehlo.constant dense<4> : tensor<ui32>
      %61 = stablehlo.partition_id : tensor<ui32>
      %62 = stablehlo.divide %61, %c_18 : tensor<ui32>
      %63 = stablehlo.remainder %62, %c_19 : tensor<ui32>
      %64 = stablehlo.convert %63 : (tensor<ui32>) -> tensor<i32>
      %c_20 = stablehlo.constant dense<1> : tensor<i32>
      %65 = stablehlo.subtract %64, %c_20 : tensor<i32>
      %c_21 = stablehlo.constant dense<4> : tensor<i32>
      %66 = func.call @remainder(%65, %c_21) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_22 = stablehlo.constant dense<2> : tensor<i32>
      %67 = stablehlo.multiply %66, %c_22 : tensor<i32>
      %68 = stablehlo.iota dim = 0 : tensor<2xi32>
      %69 = stablehlo.broadcast_in_dim %60, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %70 = stablehlo.add %69, %68 : tensor<2xi32>
      %71 = stablehlo.iota dim = 0 : tensor<2xi32>
      %72 = stablehlo.broadcast_in_dim %67, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %73 = stablehlo.add %72, %71 : tensor<2xi32>
      %74 = stablehlo.broadcast_in_dim %70, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
      %75 = stablehlo.broadcast_in_dim %73, dims = [1] : (tensor<2xi32>) -> tensor<1x2xi32>
      %76 = stablehlo.broadcast_in_dim %74, dims = [0, 1] : (tensor<2x1xi32>) -> tensor<2x2xi32>
      %77 = stablehlo.broadcast_in_dim %75, dims = [0, 1] : (tensor<1x2xi32>) -> tensor<2x2xi32>
      %78 = stablehlo.compare GE, %76, %77, SIGNED : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi1>
      %79 = stablehlo.dot_general %arg3, %55, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x2x4xf32>, tensor<2x2x4xf32>) -> tensor<2x2x2xf32>
      %cst_23 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %80 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<2x2x2xf32>
      %81 = stablehlo.divide %79, %80 : tensor<2x2x2xf32>
      %cst_24 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %82 = func.call @_where_0(%78, %81, %cst_24) : (tensor<2x2xi1>, tensor<2x2x2xf32>, tensor<f32>) -> tensor<2x2x2xf32>
      %cst_25 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %83 = stablehlo.reduce(%82 init: %cst_25) applies stablehlo.maximum across dimensions = [2] : (tensor<2x2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
      %84 = stablehlo.maximum %35, %83 : tensor<2x2xf32>
      %85 = stablehlo.broadcast_in_dim %84, dims = [0, 1] : (tensor<2x2xf32>) -> tensor<2x2x1xf32>
      %86 = stablehlo.broadcast_in_dim %85, dims = [0, 1, 2] : (tensor<2x2x1xf32>) -> tensor<2x2x2xf32>
      %87 = stablehlo.subtract %82, %86 : tensor<2x2x2xf32>
      %88 = stablehlo.exponential %87 : tensor<2x2x2xf32>
      %89 = "stablehlo.collective_permute"(%40) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
      %90 = "stablehlo.collective_permute"(%41) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
      %91 = stablehlo.broadcast_in_dim %41, dims = [0, 2, 3] : (tensor<1x2x4xf32>) -> tensor<1x2x2x4xf32>
      %92 = stablehlo.reshape %91 : (tensor<1x2x2x4xf32>) -> tensor<2x2x4xf32>
      %cst_26 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %93 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
      %94 = stablehlo.multiply %47, %93 : tensor<2x2xf32>
      %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %95 = stablehlo.reduce(%88 init: %cst_27) applies stablehlo.add across dimensions = [2] : (tensor<2x2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
      %96 = stablehlo.add %94, %95 : tensor<2x2xf32>
      %97 = stablehlo.transpose %53, dims = [2, 1, 0] : (tensor<2x2x4xf32>) -> tensor<4x2x2xf32>
      %cst_28 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %98 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<4x2x2xf32>
      %99 = stablehlo.multiply %97, %98 : tensor<4x2x2xf32>
      %100 = stablehlo.transpose %99, dims = [2, 1, 0] : (tensor<4x2x2xf32>) -> tensor<2x2x4xf32>
      %101 = stablehlo.dot_general %88, %92, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x2x2xf32>, tensor<2x2x4xf32>) -> tensor<2x2x4xf32>
      %102 = stablehlo.add %100, %101 : tensor<2x2x4xf32>
      %103 = stablehlo.broadcast_in_dim %89, dims = [0, 2, 3] : (tensor<1x2x4xf32>) -> tensor<1x2x2x4xf32>
      %104 = stablehlo.reshape %103 : (tensor<1x2x2x4xf32>) -> tensor<2x2x4xf32>
      %c_29 = stablehlo.constant dense<1> : tensor<ui32>
      %c_30 = stablehlo.constant dense<4> : tensor<ui32>
      %105 = stablehlo.partition_id : tensor<ui32>
      %106 = stablehlo.divide %105, %c_29 : tensor<ui32>
      %107 = stablehlo.remainder %106, %c_30 : tensor<ui32>
      %108 = stablehlo.convert %107 : (tensor<ui32>) -> tensor<i32>
      %c_31 = stablehlo.constant dense<2> : tensor<i32>
      %109 = stablehlo.multiply %108, %c_31 : tensor<i32>
      %c_32 = stablehlo.constant dense<1> : tensor<ui32>
      %c_33 = stablehlo.constant dense<4> : tensor<ui32>
      %110 = stablehlo.partition_id : tensor<ui32>
      %111 = stablehlo.divide %110, %c_32 : tensor<ui32>
      %112 = stablehlo.remainder %111, %c_33 : tensor<ui32>
      %113 = stablehlo.convert %112 : (tensor<ui32>) -> tensor<i32>
      %c_34 = stablehlo.constant dense<2> : tensor<i32>
      %114 = stablehlo.subtract %113, %c_34 : tensor<i32>
      %c_35 = stablehlo.constant dense<4> : tensor<i32>
      %115 = func.call @remainder(%114, %c_35) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_36 = stablehlo.constant dense<2> : tensor<i32>
      %116 = stablehlo.multiply %115, %c_36 : tensor<i32>
      %117 = stablehlo.iota dim = 0 : tensor<2xi32>
      %118 = stablehlo.broadcast_in_dim %109, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %119 = stablehlo.add %118, %117 : tensor<2xi32>
      %120 = stablehlo.iota dim = 0 : tensor<2xi32>
      %121 = stablehlo.broadcast_in_dim %116, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %122 = stablehlo.add %121, %120 : tensor<2xi32>
      %123 = stablehlo.broadcast_in_dim %119, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
      %124 = stablehlo.broadcast_in_dim %122, dims = [1] : (tensor<2xi32>) -> tensor<1x2xi32>
      %125 = stablehlo.broadcast_in_dim %123, dims = [0, 1] : (tensor<2x1xi32>) -> tensor<2x2xi32>
      %126 = stablehlo.broadcast_in_dim %124, dims = [0, 1] : (tensor<1x2xi32>) -> tensor<2x2xi32>
      %127 = stablehlo.compare GE, %125, %126, SIGNED : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi1>
      %128 = stablehlo.dot_general %arg3, %104, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x2x4xf32>, tensor<2x2x4xf32>) -> tensor<2x2x2xf32>
      %cst_37 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %129 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<2x2x2xf32>
      %130 = stablehlo.divide %128, %129 : tensor<2x2x2xf32>
      %cst_38 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %131 = func.call @_where_0(%127, %130, %cst_38) : (tensor<2x2xi1>, tensor<2x2x2xf32>, tensor<f32>) -> tensor<2x2x2xf32>
      %cst_39 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %132 = stablehlo.reduce(%131 init: %cst_39) applies stablehlo.maximum across dimensions = [2] : (tensor<2x2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
      %133 = stablehlo.maximum %84, %132 : tensor<2x2xf32>
      %134 = stablehlo.broadcast_in_dim %133, dims = [0, 1] : (tensor<2x2xf32>) -> tensor<2x2x1xf32>
      %135 = stablehlo.broadcast_in_dim %134, dims = [0, 1, 2] : (tensor<2x2x1xf32>) -> tensor<2x2x2xf32>
      %136 = stablehlo.subtract %131, %135 : tensor<2x2x2xf32>
      %137 = stablehlo.exponential %136 : tensor<2x2x2xf32>
      %138 = "stablehlo.collective_permute"(%89) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
      %139 = "stablehlo.collective_permute"(%90) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
      %140 = stablehlo.broadcast_in_dim %90, dims = [0, 2, 3] : (tensor<1x2x4xf32>) -> tensor<1x2x2x4xf32>
      %141 = stablehlo.reshape %140 : (tensor<1x2x2x4xf32>) -> tensor<2x2x4xf32>
      %cst_40 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %142 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
      %143 = stablehlo.multiply %96, %142 : tensor<2x2xf32>
      %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %144 = stablehlo.reduce(%137 init: %cst_41) applies stablehlo.add across dimensions = [2] : (tensor<2x2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
      %145 = stablehlo.add %143, %144 : tensor<2x2xf32>
      %146 = stablehlo.transpose %102, dims = [2, 1, 0] : (tensor<2x2x4xf32>) -> tensor<4x2x2xf32>
      %cst_42 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %147 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<4x2x2xf32>
      %148 = stablehlo.multiply %146, %147 : tensor<4x2x2xf32>
      %149 = stablehlo.transpose %148, dims = [2, 1, 0] : (tensor<4x2x2xf32>) -> tensor<2x2x4xf32>
      %150 = stablehlo.dot_general %137, %141, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x2x2xf32>, tensor<2x2x4xf32>) -> tensor<2x2x4xf32>
      %151 = stablehlo.add %149, %150 : tensor<2x2x4xf32>
      %152 = stablehlo.broadcast_in_dim %138, dims = [0, 2, 3] : (tensor<1x2x4xf32>) -> tensor<1x2x2x4xf32>
      %153 = stablehlo.reshape %152 : (tensor<1x2x2x4xf32>) -> tensor<2x2x4xf32>
      %c_43 = stablehlo.constant dense<1> : tensor<ui32>
      %c_44 = stablehlo.constant dense<4> : tensor<ui32>
      %154 = stablehlo.partition_id : tensor<ui32>
      %155 = stablehlo.divide %154, %c_43 : tensor<ui32>
      %156 = stablehlo.remainder %155, %c_44 : tensor<ui32>
      %157 = stablehlo.convert %156 : (tensor<ui32>) -> tensor<i32>
      %c_45 = stablehlo.constant dense<2> : tensor<i32>
      %158 = stablehlo.multiply %157, %c_45 : tensor<i32>
      %c_46 = stablehlo.constant dense<1> : tensor<ui32>
      %c_47 = stablehlo.constant dense<4> : tensor<ui32>
      %159 = stablehlo.partition_id : tensor<ui32>
      %160 = stablehlo.divide %159, %c_46 : tensor<ui32>
      %161 = stablehlo.remainder %160, %c_47 : tensor<ui32>
      %162 = stablehlo.convert %161 : (tensor<ui32>) -> tensor<i32>
      %c_48 = stablehlo.constant dense<3> : tensor<i32>
      %163 = stablehlo.subtract %162, %c_48 : tensor<i32>
      %c_49 = stablehlo.constant dense<4> : tensor<i32>
      %164 = func.call @remainder(%163, %c_49) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_50 = stablehlo.constant dense<2> : tensor<i32>
      %165 = stablehlo.multiply %164, %c_50 : tensor<i32>
      %166 = stablehlo.iota dim = 0 : tensor<2xi32>
      %167 = stablehlo.broadcast_in_dim %158, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %168 = stablehlo.add %167, %166 : tensor<2xi32>
      %169 = stablehlo.iota dim = 0 : tensor<2xi32>
      %170 = stablehlo.broadcast_in_dim %165, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %171 = stablehlo.add %170, %169 : tensor<2xi32>
      %172 = stablehlo.broadcast_in_dim %168, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
      %173 = stablehlo.broadcast_in_dim %171, dims = [1] : (tensor<2xi32>) -> tensor<1x2xi32>
      %174 = stablehlo.broadcast_in_dim %172, dims = [0, 1] : (tensor<2x1xi32>) -> tensor<2x2xi32>
      %175 = stablehlo.broadcast_in_dim %173, dims = [0, 1] : (tensor<1x2xi32>) -> tensor<2x2xi32>
      %176 = stablehlo.compare GE, %174, %175, SIGNED : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi1>
      %177 = stablehlo.dot_general %arg3, %153, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x2x4xf32>, tensor<2x2x4xf32>) -> tensor<2x2x2xf32>
      %cst_51 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %178 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<2x2x2xf32>
      %179 = stablehlo.divide %177, %178 : tensor<2x2x2xf32>
      %cst_52 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %180 = func.call @_where_0(%176, %179, %cst_52) : (tensor<2x2xi1>, tensor<2x2x2xf32>, tensor<f32>) -> tensor<2x2x2xf32>
      %cst_53 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %181 = stablehlo.reduce(%180 init: %cst_53) applies stablehlo.maximum across dimensions = [2] : (tensor<2x2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
      %182 = stablehlo.maximum %133, %181 : tensor<2x2xf32>
      %183 = stablehlo.broadcast_in_dim %182, dims = [0, 1] : (tensor<2x2xf32>) -> tensor<2x2x1xf32>
      %184 = stablehlo.broadcast_in_dim %183, dims = [0, 1, 2] : (tensor<2x2x1xf32>) -> tensor<2x2x2xf32>
      %185 = stablehlo.subtract %180, %184 : tensor<2x2x2xf32>
      %186 = stablehlo.exponential %185 : tensor<2x2x2xf32>
      %187 = "stablehlo.collective_permute"(%138) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
      %188 = "stablehlo.collective_permute"(%139) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
      %189 = stablehlo.broadcast_in_dim %139, dims = [0, 2, 3] : (tensor<1x2x4xf32>) -> tensor<1x2x2x4xf32>
      %190 = stablehlo.reshape %189 : (tensor<1x2x2x4xf32>) -> tensor<2x2x4xf32>
      %cst_54 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %191 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
      %192 = stablehlo.multiply %145, %191 : tensor<2x2xf32>
      %cst_55 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %193 = stablehlo.reduce(%186 init: %cst_55) applies stablehlo.add across dimensions = [2] : (tensor<2x2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
      %194 = stablehlo.add %192, %193 : tensor<2x2xf32>
      %195 = stablehlo.transpose %151, dims = [2, 1, 0] : (tensor<2x2x4xf32>) -> tensor<4x2x2xf32>
      %cst_56 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %196 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<4x2x2xf32>
      %197 = stablehlo.multiply %195, %196 : tensor<4x2x2xf32>
      %198 = stablehlo.transpose %197, dims = [2, 1, 0] : (tensor<4x2x2xf32>) -> tensor<2x2x4xf32>
      %199 = stablehlo.dot_general %186, %190, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x2x2xf32>, tensor<2x2x4xf32>) -> tensor<2x2x4xf32>
      %200 = stablehlo.add %198, %199 : tensor<2x2x4xf32>
      %201 = stablehlo.broadcast_in_dim %194, dims = [0, 1] : (tensor<2x2xf32>) -> tensor<2x2x1xf32>
      %202 = stablehlo.broadcast_in_dim %201, dims = [0, 1, 2] : (tensor<2x2x1xf32>) -> tensor<2x2x4xf32>
      %203 = stablehlo.divide %200, %202 : tensor<2x2x4xf32>
      sdy.return %203 : tensor<2x2x4xf32>
    } : (tensor<2x8x4xf32>, tensor<1x8x4xf32>, tensor<1x8x4xf32>) -> tensor<2x8x4xf32>
    return %0 : tensor<2x8x4xf32>
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
  func.func private @_where_0(%arg0: tensor<2x2xi1>, %arg1: tensor<2x2x2xf32>, %arg2: tensor<f32>) -> tensor<2x2x2xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [1, 2] : (tensor<2x2xi1>) -> tensor<2x2x2xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x2x2xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<2x2x2xi1>, tensor<2x2x2xf32>
    return %3 : tensor<2x2x2xf32>
  }
}
