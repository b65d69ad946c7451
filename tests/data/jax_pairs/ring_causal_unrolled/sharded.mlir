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
      %40 = stablehlo.convert %1 : tensor<2x2xf32>
      %41 = stablehlo.subtract %40, %35 : tensor<2x2xf32>
      %42 = stablehlo.exponential %41 : tensor<2x2xf32>
      %43 = "stablehlo.collective_permute"(%arg4) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
      %44 = "stablehlo.collective_permute"(%arg5) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
      %45 = stablehlo.broadcast_in_dim %arg5, dims = [0, 2, 3] : (tensor<1x2x4xf32>) -> tensor<1x2x2x4xf32>
      %46 = stablehlo.reshape %45 : (tensor<1x2x2x4xf32>) -> tensor<2x2x4xf32>
      %47 = stablehlo.multiply %2, %42 : tensor<2x2xf32>
      %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %48 = stablehlo.reduce(%39 init: %cst_12) applies stablehlo.add across dimensions = [2] : (tensor<2x2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
      %49 = stablehlo.add %47, %48 : tensor<2x2xf32>
      %50 = stablehlo.transpose %3, dims = [2, 1, 0] : (tensor<2x2x4xf32>) -> tensor<4x2x2xf32>
      %51 = stablehlo.transpose %42, dims = [1, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32>
      %52 = stablehlo.broadcast_in_dim %51, dims = [1, 2] : (tensor<2x2xf32>) -> tensor<1x2x2xf32>
      %53 = stablehlo.broadcast_in_dim %52, dims = [0, 1, 2] : (tensor<1x2x2xf32>) -> tensor<4x2x2xf32>
      %54 = stablehlo.multiply %50, %53 : tensor<4x2x2xf32>
      %55 = stablehlo.transpose %54, dims = [2, 1, 0] : (tensor<4x2x2xf32>) -> tensor<2x2x4xf32>
      %56 = stablehlo.dot_general %39, %46, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x2x2xf32>, tensor<2x2x4xf32>) -> tensor<2x2x4xf32>
      %57 = stablehlo.add %55, %56 : tensor<2x2x4xf32>
      %58 = stablehlo.broadcast_in_dim %43, dims = [0, 2, 3] : (tensor<1x2x4xf32>) -> tensor<1x2x2x4xf32>
      %59 = stablehlo.reshape %58 : (tensor<1x2x2x4xf32>) -> tensor<2x2x4xf32>
      %c_13 = stablehlo.constant dense<1> : tensor<ui32>
      %c_14 = stablehlo.constant dense<4> : tensor<ui32>
      %60 = stablehlo.partition_id : tensor<ui32>
      %61 = stablehlo.divide %60, %c_13 : tensor<ui32>
      %62 = stablehlo.remainder %61, %c_14 : tensor<ui32>
      %63 = stablehlo.convert %62 : (tensor<ui32>) -> tensor<i32>
      %c_15 = stablehlo.constant dense<2> : tensor<i32>
      %64 = stablehlo.multiply %63, %c_15 : tensor<i32>
      %c_16 = stablehlo.constant dense<1> : tensor<ui32>
      %c_17 = stablehlo.constant dense<4> : tensor<ui32>
      %65 = stablehlo.partition_id : tensor<ui32>
      %66 = stablehlo.divide %65, %c_16 : tensor<ui32>
      %67 = stablehlo.remainder %66, %c_17 : tensor<ui32>
      %68 = stablehlo.convert %67 : (tensor<ui32>) -> tensor<i32>
      %c_18 = stablehlo.constant dense<1> : tensor<i32>
      %69 = stablehlo.subtract %68, %c_18 : tensor<i32>
      %c_19 = stablehlo.constant dense<4> : tensor<i32>
      %70 = func.call @remainder(%69, %c_19) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_20 = stablehlo.constant dense<2> : tensor<i32>
      %71 = stablehlo.multiply %70, %c_20 : tensor<i32>
      %72 = stablehlo.iota dim = 0 : tensor<2xi32>
      %73 = stablehlo.broadcast_in_dim %64, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %74 = stablehlo.add %73, %72 : tensor<2xi32>
      %75 = stablehlo.iota dim = 0 : tensor<2xi32>
      %76 = stablehlo.broadcast_in_dim %71, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %77 = stablehlo.add %76, %75 : tensor<2xi32>
      %78 = stablehlo.broadcast_in_dim %74, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
      %79 = stablehlo.broadcast_in_dim %77, dims = [1] : (tensor<2xi32>) -> tensor<1x2xi32>
      %80 = stablehlo.broadcast_in_dim %78, dims = [0, 1] : (tensor<2x1xi32>) -> tensor<2x2xi32>
      %81 = stablehlo.broadcast_in_dim %79, dims = [0, 1] : (tensor<1x2xi32>) -> tensor<2x2xi32>
      %82 = stablehlo.compare GE, %80, %81, SIGNED : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi1>
      %83 = stablehlo.dot_general %arg3, %59, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x2x4xf32>, tensor<2x2x4xf32>) -> tensor<2x2x2xf32>
      %cst_21 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %84 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<2x2x2xf32>
      %85 = stablehlo.divide %83, %84 : tensor<2x2x2xf32>
      %cst_22 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %86 = func.call @_where_0(%82, %85, %cst_22) : (tensor<2x2xi1>, tensor<2x2x2xf32>, tensor<f32>) -> tensor<2x2x2xf32>
      %cst_23 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %87 = stablehlo.reduce(%86 init: %cst_23) applies stablehlo.maximum across dimensions = [2] : (tensor<2x2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
      %88 = stablehlo.maximum %35, %87 : tensor<2x2xf32>
      %89 = stablehlo.broadcast_in_dim %88, dims = [0, 1] : (tensor<2x2xf32>) -> tensor<2x2x1xf32>
      %90 = stablehlo.broadcast_in_dim %89, dims = [0, 1, 2] : (tensor<2x2x1xf32>) -> tensor<2x2x2xf32>
      %91 = stablehlo.subtract %86, %90 : tensor<2x2x2xf32>
      %92 = stablehlo.exponential %91 : tensor<2x2x2xf32>
      %93 = stablehlo.subtract %35, %88 : tensor<2x2xf32>
      %94 = stablehlo.exponential %93 : tensor<2x2xf32>
      %95 = "stablehlo.collective_permute"(%43) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
      %96 = "stablehlo.collective_permute"(%44) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
      %97 = stablehlo.broadcast_in_dim %44, dims = [0, 2, 3] : (tensor<1x2x4xf32>) -> tensor<1x2x2x4xf32>
      %98 = stablehlo.reshape %97 : (tensor<1x2x2x4xf32>) -> tensor<2x2x4xf32>
      %99 = stablehlo.multiply %49, %94 : tensor<2x2xf32>
      %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %100 = stablehlo.reduce(%92 init: %cst_24) applies stablehlo.add across dimensions = [2] : (tensor<2x2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
      %101 = stablehlo.add %99, %100 : tensor<2x2xf32>
      %102 = stablehlo.transpose %57, dims = [2, 1, 0] : (tensor<2x2x4xf32>) -> tensor<4x2x2xf32>
      %103 = stablehlo.transpose %94, dims = [1, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32>
      %104 = stablehlo.broadcast_in_dim %103, dims = [1, 2] : (tensor<2x2xf32>) -> tensor<1x2x2xf32>
      %105 = stablehlo.broadcast_in_dim %104, dims = [0, 1, 2] : (tensor<1x2x2xf32>) -> tensor<4x2x2xf32>
      %106 = stablehlo.multiply %102, %105 : tensor<4x2x2xf32>
      %107 = stablehlo.transpose %106, dims = [2, 1, 0] : (tensor<4x2x2xf32>) -> tensor<2x2x4xf32>
      %108 = stablehlo.dot_general %92, %98, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x2x2xf32>, tensor<2x2x4xf32>) -> tensor<2x2x4xf32>
      %109 = stablehlo.add %107, %108 : tensor<2x2x4xf32>
      %110 = stablehlo.broadcast_in_dim %95, dims = [0, 2, 3] : (tensor<1x2x4xf32>) -> tensor<1x2x2x4xf32>
      %111 = stablehlo.reshape %110 : (tensor<1x2x2x4xf32>) -> tensor<2x2x4xf32>
      %c_25 = stablehlo.constant dense<1> : tensor<ui32>
      %c_26 = stablehlo.constant dense<4> : tensor<ui32>
      %112 = stablehlo.partition_id : tensor<ui32>
      %113 = stablehlo.divide %112, %c_25 : tensor<ui32>
      %114 = stablehlo.remainder %113, %c_26 : tensor<ui32>
      %115 = stablehlo.convert %114 : (tensor<ui32>) -> tensor<i32>
      %c_27 = stablehlo.constant dense<2> : tensor<i32>
      %116 = stablehlo.multiply %115, %c_27 : tensor<i32>
      %c_28 = stablehlo.constant dense<1> : tensor<ui32>
      %c_29 = stablehlo.constant dense<4> : tensor<ui32>
      %117 = stablehlo.partition_id : tensor<ui32>
      %118 = stablehlo.divide %117, %c_28 : tensor<ui32>
      %119 = stablehlo.remainder %118, %c_29 : tensor<ui32>
      %120 = stablehlo.convert %119 : (tensor<ui32>) -> tensor<i32>
      %c_30 = stablehlo.constant dense<2> : tensor<i32>
      %121 = stablehlo.subtract %120, %c_30 : tensor<i32>
      %c_31 = stablehlo.constant dense<4> : tensor<i32>
      %122 = func.call @remainder(%121, %c_31) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_32 = stablehlo.constant dense<2> : tensor<i32>
      %123 = stablehlo.multiply %122, %c_32 : tensor<i32>
      %124 = stablehlo.iota dim = 0 : tensor<2xi32>
      %125 = stablehlo.broadcast_in_dim %116, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %126 = stablehlo.add %125, %124 : tensor<2xi32>
      %127 = stablehlo.iota dim = 0 : tensor<2xi32>
      %128 = stablehlo.broadcast_in_dim %123, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %129 = stablehlo.add %128, %127 : tensor<2xi32>
      %130 = stablehlo.broadcast_in_dim %126, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
      %131 = stablehlo.broadcast_in_dim %129, dims = [1] : (tensor<2xi32>) -> tensor<1x2xi32>
      %132 = stablehlo.broadcast_in_dim %130, dims = [0, 1] : (tensor<2x1xi32>) -> tensor<2x2xi32>
      %133 = stablehlo.broadcast_in_dim %131, dims = [0, 1] : (tensor<1x2xi32>) -> tensor<2x2xi32>
      %134 = stablehlo.compare GE, %132, %133, SIGNED : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi1>
      %135 = stablehlo.dot_general %arg3, %111, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x2x4xf32>, tensor<2x2x4xf32>) -> tensor<2x2x2xf32>
      %cst_33 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %136 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<2x2x2xf32>
      %137 = stablehlo.divide %135, %136 : tensor<2x2x2xf32>
      %cst_34 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %138 = func.call @_where_0(%134, %137, %cst_34) : (tensor<2x2xi1>, tensor<2x2x2xf32>, tensor<f32>) -> tensor<2x2x2xf32>
      %cst_35 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %139 = stablehlo.reduce(%138 init: %cst_35) applies stablehlo.maximum across dimensions = [2] : (tensor<2x2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
      %140 = stablehlo.maximum %88, %139 : tensor<2x2xf32>
      %141 = stablehlo.broadcast_in_dim %140, dims = [0, 1] : (tensor<2x2xf32>) -> tensor<2x2x1xf32>
      %142 = stablehlo.broadcast_in_dim %141, dims = [0, 1, 2] : (tensor<2x2x1xf32>) -> tensor<2x2x2xf32>
      %143 = stablehlo.subtract %138, %142 : tensor<2x2x2xf32>
      %144 = stablehlo.exponential %143 : tensor<2x2x2xf32>
      %145 = stablehlo.subtract %88, %140 : tensor<2x2xf32>
      %146 = stablehlo.exponential %145 : tensor<2x2xf32>
      %147 = "stablehlo.collective_permute"(%95) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
      %148 = "stablehlo.collective_permute"(%96) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
      %149 = stablehlo.broadcast_in_dim %96, dims = [0, 2, 3] : (tensor<1x2x4xf32>) -> tensor<1x2x2x4xf32>
      %150 = stablehlo.reshape %149 : (tensor<1x2x2x4xf32>) -> tensor<2x2x4xf32>
      %151 = stablehlo.multiply %101, %146 : tensor<2x2xf32>
      %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %152 = stablehlo.reduce(%144 init: %cst_36) applies stablehlo.add across dimensions = [2] : (tensor<2x2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
      %153 = stablehlo.add %151, %152 : tensor<2x2xf32>
      %154 = stablehlo.transpose %109, dims = [2, 1, 0] : (tensor<2x2x4xf32>) -> tensor<4x2x2xf32>
      %155 = stablehlo.transpose %146, dims = [1, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32>
      %156 = stablehlo.broadcast_in_dim %155, dims = [1, 2] : (tensor<2x2xf32>) -> tensor<1x2x2xf32>
      %157 = stablehlo.broadcast_in_dim %156, dims = [0, 1, 2] : (tensor<1x2x2xf32>) -> tensor<4x2x2xf32>
      %158 = stablehlo.multiply %154, %157 : tensor<4x2x2xf32>
      %159 = stablehlo.transpose %158, dims = [2, 1, 0] : (tensor<4x2x2xf32>) -> tensor<2x2x4xf32>
      %160 = stablehlo.dot_general %144, %150, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x2x2xf32>, tensor<2x2x4xf32>) -> tensor<2x2x4xf32>
      %161 = stablehlo.add %159, %160 : tensor<2x2x4xf32>
      %162 = stablehlo.broadcast_in_dim %147, dims = [0, 2, 3] : (tensor<1x2x4xf32>) -> tensor<1x2x2x4xf32>
      %163 = stablehlo.reshape %162 : (tensor<1x2x2x4xf32>) -> tensor<2x2x4xf32>
      %c_37 = stablehlo.constant dense<1> : tensor<ui32>
      %c_38 = stablehlo.constant dense<4> : tensor<ui32>
      %164 = stablehlo.partition_id : tensor<ui32>
      %165 = stablehlo.divide %164, %c_37 : tensor<ui32>
      %166 = stablehlo.remainder %165, %c_38 : tensor<ui32>
      %167 = stablehlo.convert %166 : (tensor<ui32>) -> tensor<i32>
      %c_39 = stablehlo.constant dense<2> : tensor<i32>
      %168 = stablehlo.multiply %167, %c_39 : tensor<i32>
      %c_40 = stablehlo.constant dense<1> : tensor<ui32>
      %c_41 = stablehlo.constant dense<4> : tensor<ui32>
      %169 = stablehlo.partition_id : tensor<ui32>
      %170 = stablehlo.divide %169, %c_40 : tensor<ui32>
      %171 = stablehlo.remainder %170, %c_41 : tensor<ui32>
      %172 = stablehlo.convert %171 : (tensor<ui32>) -> tensor<i32>
      %c_42 = stablehlo.constant dense<3> : tensor<i32>
      %173 = stablehlo.subtract %172, %c_42 : tensor<i32>
      %c_43 = stablehlo.constant dense<4> : tensor<i32>
      %174 = func.call @remainder(%173, %c_43) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_44 = stablehlo.constant dense<2> : tensor<i32>
      %175 = stablehlo.multiply %174, %c_44 : tensor<i32>
      %176 = stablehlo.iota dim = 0 : tensor<2xi32>
      %177 = stablehlo.broadcast_in_dim %168, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %178 = stablehlo.add %177, %176 : tensor<2xi32>
      %179 = stablehlo.iota dim = 0 : tensor<2xi32>
      %180 = stablehlo.broadcast_in_dim %175, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %181 = stablehlo.add %180, %179 : tensor<2xi32>
      %182 = stablehlo.broadcast_in_dim %178, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
      %183 = stablehlo.broadcast_in_dim %181, dims = [1] : (tensor<2xi32>) -> tensor<1x2xi32>
      %184 = stablehlo.broadcast_in_dim %182, dims = [0, 1] : (tensor<2x1xi32>) -> tensor<2x2xi32>
      %185 = stablehlo.broadcast_in_dim %183, dims = [0, 1] : (tensor<1x2xi32>) -> tensor<2x2xi32>
      %186 = stablehlo.compare GE, %184, %185, SIGNED : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi1>
      %187 = stablehlo.dot_general %arg3, %163, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x2x4xf32>, tensor<2x2x4xf32>) -> tensor<2x2x2xf32>
      %cst_45 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %188 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<2x2x2xf32>
      %189 = stablehlo.divide %187, %188 : tensor<2x2x2xf32>
      %cst_46 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %190 = func.call @_where_0(%186, %189, %cst_46) : (tensor<2x2xi1>, tensor<2x2x2xf32>, tensor<f32>) -> tensor<2x2x2xf32>
      %cst_47 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %191 = stablehlo.reduce(%190 init: %cst_47) applies stablehlo.maximum across dimensions = [2] : (tensor<2x2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
      %192 = stablehlo.maximum %140, %191 : tensor<2x2xf32>
      %193 = stablehlo.broadcast_in_dim %192, dims = [0, 1] : (tensor<2x2xf32>) -> tensor<2x2x1xf32>
      %194 = stablehlo.broadcast_in_dim %193, dims = [0, 1, 2] : (tensor<2x2x1xf32>) -> tensor<2x2x2xf32>
      %195 = stablehlo.subtract %190, %194 : tensor<2x2x2xf32>
      %196 = stablehlo.exponential %195 : tensor<2x2x2xf32>
      %197 = stablehlo.subtract %140, %192 : tensor<2x2xf32>
      %198 = stablehlo.exponential %197 : tensor<2x2xf32>
      %199 = "stablehlo.collective_permute"(%147) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
      %200 = "stablehlo.collective_permute"(%148) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
      %201 = stablehlo.broadcast_in_dim %148, dims = [0, 2, 3] : (tensor<1x2x4xf32>) -> tensor<1x2x2x4xf32>
      %202 = stablehlo.reshape %201 : (tensor<1x2x2x4xf32>) -> tensor<2x2x4xf32>
      %203 = stablehlo.multiply %153, %198 : tensor<2x2xf32>
      %cst_48 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %204 = stablehlo.reduce(%196 init: %cst_48) applies stablehlo.add across dimensions = [2] : (tensor<2x2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
      %205 = stablehlo.add %203, %204 : tensor<2x2xf32>
      %206 = stablehlo.transpose %161, dims = [2, 1, 0] : (tensor<2x2x4xf32>) -> tensor<4x2x2xf32>
      %207 = stablehlo.transpose %198, dims = [1, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32>
      %208 = stablehlo.broadcast_in_dim %207, dims = [1, 2] : (tensor<2x2xf32>) -> tensor<1x2x2xf32>
      %209 = stablehlo.broadcast_in_dim %208, dims = [0, 1, 2] : (tensor<1x2x2xf32>) -> tensor<4x2x2xf32>
      %210 = stablehlo.multiply %206, %209 : tensor<4x2x2xf32>
      %211 = stablehlo.transpose %210, dims = [2, 1, 0] : (tensor<4x2x2xf32>) -> tensor<2x2x4xf32>
      %212 = stablehlo.dot_general %196, %202, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x2x2xf32>, tensor<2x2x4xf32>) -> tensor<2x2x4xf32>
      %213 = stablehlo.add %211, %212 : tensor<2x2x4xf32>
      %214 = stablehlo.broadcast_in_dim %205, dims = [0, 1] : (tensor<2x2xf32>) -> tensor<2x2x1xf32>
      %215 = stablehlo.broadcast_in_dim %214, dims = [0, 1, 2] : (tensor<2x2x1xf32>) -> tensor<2x2x4xf32>
      %216 = stablehlo.divide %213, %215 : tensor<2x2x4xf32>
      sdy.return %216 : tensor<2x2x4xf32>
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
