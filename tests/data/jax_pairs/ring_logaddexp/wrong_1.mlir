module @jit__lambda attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<16x4xf32>, %arg1: tensor<16x4xf32>, %arg2: tensor<16x4xf32>) -> (tensor<16x4xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0, %arg1, %arg2) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg3: tensor<4x4xf32>, %arg4: tensor<4x4xf32>, %arg5: tensor<4x4xf32>) {
      %1 = stablehlo.transpose %arg4, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %2 = stablehlo.dot_general %arg3, %1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
      %4 = stablehlo.divide %2, %3 : tensor<4x4xf32>
      %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %5 = stablehlo.reduce(%4 init: %cst_0) applies stablehlo.maximum across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
      %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %7 = stablehlo.maximum %6, %5 : tensor<4xf32>
      %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
      %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
      %10 = stablehlo.subtract %4, %9 : tensor<4x4xf32>
      %11 = stablehlo.exponential %10 : tensor<4x4xf32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %12 = stablehlo.reduce(%11 init: %cst_2) applies stablehlo.add across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
      %13 = stablehlo.broadcast_in_dim %12, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
      %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
      %15 = stablehlo.divide %11, %14 : tensor<4x4xf32>
      %16 = stablehlo.dot_general %15, %arg5, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %cst_3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %17 = stablehlo.reduce(%4 init: %cst_3) applies stablehlo.maximum across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
      %cst_4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %18 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %19 = stablehlo.maximum %18, %17 : tensor<4xf32>
      %20 = stablehlo.is_finite %19 : (tensor<4xf32>) -> tensor<4xi1>
      %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %21 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %22 = stablehlo.select %20, %19, %21 : tensor<4xi1>, tensor<4xf32>
      %23 = stablehlo.broadcast_in_dim %22, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
      %24 = stablehlo.broadcast_in_dim %23, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
      %25 = stablehlo.subtract %4, %24 : tensor<4x4xf32>
      %26 = stablehlo.exponential %25 : tensor<4x4xf32>
      %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %27 = stablehlo.reduce(%26 init: %cst_6) applies stablehlo.add across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
      %28 = stablehlo.sign %27 : tensor<4xf32>
      %29 = stablehlo.abs %27 : tensor<4xf32>
      %30 = stablehlo.log %29 : tensor<4xf32>
      %31 = stablehlo.add %30, %22 : tensor<4xf32>
      %32 = "stablehlo.collective_permute"(%arg4) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %33 = "stablehlo.collective_permute"(%arg5) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %34 = stablehlo.transpose %32, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %35 = stablehlo.dot_general %arg3, %34, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %cst_7 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %36 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
      %37 = stablehlo.divide %35, %36 : tensor<4x4xf32>
      %cst_8 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %38 = stablehlo.reduce(%37 init: %cst_8) applies stablehlo.maximum across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
      %cst_9 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %39 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %40 = stablehlo.maximum %39, %38 : tensor<4xf32>
      %41 = stablehlo.broadcast_in_dim %40, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
      %42 = stablehlo.broadcast_in_dim %41, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
      %43 = stablehlo.subtract %37, %42 : tensor<4x4xf32>
      %44 = stablehlo.exponential %43 : tensor<4x4xf32>
      %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %45 = stablehlo.reduce(%44 init: %cst_10) applies stablehlo.add across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
      %46 = stablehlo.broadcast_in_dim %45, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
      %47 = stablehlo.broadcast_in_dim %46, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
      %48 = stablehlo.divide %44, %47 : tensor<4x4xf32>
      %49 = stablehlo.dot_general %48, %33, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %cst_11 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %50 = stablehlo.reduce(%37 init: %cst_11) applies stablehlo.maximum across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
      %cst_12 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %51 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %52 = stablehlo.maximum %51, %50 : tensor<4xf32>
      %53 = stablehlo.is_finite %52 : (tensor<4xf32>) -> tensor<4xi1>
      %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %54 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %55 = stablehlo.select %53, %52, %54 : tensor<4xi1>, tensor<4xf32>
      %56 = stablehlo.broadcast_in_dim %55, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
      %57 = stablehlo.broadcast_in_dim %56, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
      %58 = stablehlo.subtract %37, %57 : tensor<4x4xf32>
      %59 = stablehlo.exponential %58 : tensor<4x4xf32>
      %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %60 = stablehlo.reduce(%59 init: %cst_14) applies stablehlo.add across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
      %61 = stablehlo.sign %60 : tensor<4xf32>
      %62 = stablehlo.abs %60 : tensor<4xf32>
      %63 = stablehlo.log %62 : tensor<4xf32>
      %64 = stablehlo.add %63, %55 : tensor<4xf32>
      %65 = stablehlo.maximum %31, %64 : tensor<4xf32>
      %66 = stablehlo.subtract %31, %64 : tensor<4xf32>
      %67 = stablehlo.compare NE, %66, %66, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
      %68 = stablehlo.add %31, %64 : tensor<4xf32>
      %69 = stablehlo.abs %66 : tensor<4xf32>
      %70 = stablehlo.negate %69 : tensor<4xf32>
      %71 = stablehlo.exponential %70 : tensor<4xf32>
      %72 = stablehlo.log_plus_one %71 : tensor<4xf32>
      %73 = stablehlo.add %65, %72 : tensor<4xf32>
      %74 = stablehlo.select %67, %68, %73 : tensor<4xi1>, tensor<4xf32>
      %75 = stablehlo.subtract %31, %74 : tensor<4xf32>
      %76 = stablehlo.exponential %75 : tensor<4xf32>
      %77 = stablehlo.broadcast_in_dim %76, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
      %78 = stablehlo.broadcast_in_dim %77, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
      %79 = stablehlo.multiply %16, %78 : tensor<4x4xf32>
      %80 = stablehlo.subtract %64, %31 : tensor<4xf32>
      %81 = stablehlo.exponential %80 : tensor<4xf32>
      %82 = stablehlo.broadcast_in_dim %81, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
      %83 = stablehlo.broadcast_in_dim %82, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
      %84 = stablehlo.multiply %49, %83 : tensor<4x4xf32>
      %85 = stablehlo.add %79, %84 : tensor<4x4xf32>
      %86 = "stablehlo.collective_permute"(%32) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %87 = "stablehlo.collective_permute"(%33) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %88 = stablehlo.transpose %86, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %89 = stablehlo.dot_general %arg3, %88, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %cst_15 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %90 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
      %91 = stablehlo.divide %89, %90 : tensor<4x4xf32>
      %cst_16 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %92 = stablehlo.reduce(%91 init: %cst_16) applies stablehlo.maximum across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
      %cst_17 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %93 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %94 = stablehlo.maximum %93, %92 : tensor<4xf32>
      %95 = stablehlo.broadcast_in_dim %94, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
      %96 = stablehlo.broadcast_in_dim %95, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
      %97 = stablehlo.subtract %91, %96 : tensor<4x4xf32>
      %98 = stablehlo.exponential %97 : tensor<4x4xf32>
      %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %99 = stablehlo.reduce(%98 init: %cst_18) applies stablehlo.add across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
      %100 = stablehlo.broadcast_in_dim %99, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
      %101 = stablehlo.broadcast_in_dim %100, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
      %102 = stablehlo.divide %98, %101 : tensor<4x4xf32>
      %103 = stablehlo.dot_general %102, %87, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %cst_19 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %104 = stablehlo.reduce(%91 init: %cst_19) applies stablehlo.maximum across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
      %cst_20 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %105 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %106 = stablehlo.maximum %105, %104 : tensor<4xf32>
      %107 = stablehlo.is_finite %106 : (tensor<4xf32>) -> tensor<4xi1>
      %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %108 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %109 = stablehlo.select %107, %106, %108 : tensor<4xi1>, tensor<4xf32>
      %110 = stablehlo.broadcast_in_dim %109, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
      %111 = stablehlo.broadcast_in_dim %110, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
      %112 = stablehlo.subtract %91, %111 : tensor<4x4xf32>
      %113 = stablehlo.exponential %112 : tensor<4x4xf32>
      %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %114 = stablehlo.reduce(%113 init: %cst_22) applies stablehlo.add across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
      %115 = stablehlo.sign %114 : tensor<4xf32>
      %116 = stablehlo.abs %114 : tensor<4xf32>
      %117 = stablehlo.log %116 : tensor<4xf32>
      %118 = stablehlo.add %117, %109 : tensor<4xf32>
      %119 = stablehlo.maximum %74, %118 : tensor<4xf32>
      %120 = stablehlo.subtract %74, %118 : tensor<4xf32>
      %121 = stablehlo.compare NE, %120, %120, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
      %122 = stablehlo.add %74, %118 : tensor<4xf32>
      %123 = stablehlo.abs %120 : tensor<4xf32>
      %124 = stablehlo.negate %123 : tensor<4xf32>
      %125 = stablehlo.exponential %124 : tensor<4xf32>
      %126 = stablehlo.log_plus_one %125 : tensor<4xf32>
      %127 = stablehlo.add %119, %126 : tensor<4xf32>
      %128 = stablehlo.select %121, %122, %127 : tensor<4xi1>, tensor<4xf32>
      %129 = stablehlo.subtract %74, %128 : tensor<4xf32>
      %130 = stablehlo.exponential %129 : tensor<4xf32>
      %131 = stablehlo.broadcast_in_dim %130, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
      %132 = stablehlo.broadcast_in_dim %131, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
      %133 = stablehlo.multiply %85, %132 : tensor<4x4xf32>
      %134 = stablehlo.subtract %118, %74 : tensor<4xf32>
      %135 = stablehlo.exponential %134 : tensor<4xf32>
      %136 = stablehlo.broadcast_in_dim %135, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
      %137 = stablehlo.broadcast_in_dim %136, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
      %138 = stablehlo.multiply %103, %137 : tensor<4x4xf32>
      %139 = stablehlo.add %133, %138 : tensor<4x4xf32>
      %140 = "stablehlo.collective_permute"(%86) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %141 = "stablehlo.collective_permute"(%87) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %142 = stablehlo.transpose %140, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %143 = stablehlo.dot_general %arg3, %142, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %cst_23 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %144 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
      %145 = stablehlo.divide %143, %144 : tensor<4x4xf32>
      %cst_24 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %146 = stablehlo.reduce(%145 init: %cst_24) applies stablehlo.maximum across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
      %cst_25 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %147 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %148 = stablehlo.maximum %147, %146 : tensor<4xf32>
      %149 = stablehlo.broadcast_in_dim %148, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
      %150 = stablehlo.broadcast_in_dim %149, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
      %151 = stablehlo.subtract %145, %150 : tensor<4x4xf32>
      %152 = stablehlo.exponential %151 : tensor<4x4xf32>
      %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %153 = stablehlo.reduce(%152 init: %cst_26) applies stablehlo.add across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
      %154 = stablehlo.broadcast_in_dim %153, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
      %155 = stablehlo.broadcast_in_dim %154, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
      %156 = stablehlo.divide %152, %155 : tensor<4x4xf32>
      %157 = stablehlo.dot_general %156, %141, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %cst_27 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %158 = stablehlo.reduce(%145 init: %cst_27) applies stablehlo.maximum across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
      %cst_28 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %159 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %160 = stablehlo.maximum %159, %158 : tensor<4xf32>
      %161 = stablehlo.is_finite %160 : (tensor<4xf32>) -> tensor<4xi1>
      %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %162 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %163 = stablehlo.select %161, %160, %162 : tensor<4xi1>, tensor<4xf32>
      %164 = stablehlo.broadcast_in_dim %163, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
      %165 = stablehlo.broadcast_in_dim %164, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
      %166 = stablehlo.subtract %145, %165 : tensor<4x4xf32>
      %167 = stablehlo.exponential %166 : tensor<4x4xf32>
      %cst_30 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %168 = stablehlo.reduce(%167 init: %cst_30) applies stablehlo.add across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
      %169 = stablehlo.sign %168 : tensor<4xf32>
      %170 = stablehlo.abs %168 : tensor<4xf32>
      %171 = stablehlo.log %170 : tensor<4xf32>
      %172 = stablehlo.add %171, %163 : tensor<4xf32>
      %173 = stablehlo.maximum %128, %172 : tensor<4xf32>
      %174 = stablehlo.subtract %128, %172 : tensor<4xf32>
      %175 = stablehlo.compare NE, %174, %174, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
      %176 = stablehlo.add %128, %172 : tensor<4xf32>
      %177 = stablehlo.abs %174 : tensor<4xf32>
      %178 = stablehlo.negate %177 : tensor<4xf32>
      %179 = stablehlo.exponential %178 : tensor<4xf32>
      %180 = stablehlo.log_plus_one %179 : tensor<4xf32>
      %181 = stablehlo.add %173, %180 : tensor<4xf32>
      %182 = stablehlo.select %175, %176, %181 : tensor<4xi1>, tensor<4xf32>
      %183 = stablehlo.subtract %128, %182 : tensor<4xf32>
      %184 = stablehlo.exponential %183 : tensor<4xf32>
      %185 = stablehlo.broadcast_in_dim %184, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
      %186 = stablehlo.broadcast_in_dim %185, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
      %187 = stablehlo.multiply %139, %186 : tensor<4x4xf32>
      %188 = stablehlo.subtract %172, %128 : tensor<4xf32>
      %189 = stablehlo.exponential %188 : tensor<4xf32>
      %190 = stablehlo.broadcast_in_dim %189, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
      %191 = stablehlo.broadcast_in_dim %190, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
      %192 = stablehlo.multiply %157, %191 : tensor<4x4xf32>
      %193 = stablehlo.add %187, %192 : tensor<4x4xf32>
      %194 = "stablehlo.collective_permute"(%140) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %195 = "stablehlo.collective_permute"(%141) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
      sdy.return %193 : tensor<4x4xf32>
    } : (tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x4xf32>
    return %0 : tensor<16x4xf32>
  }
}
