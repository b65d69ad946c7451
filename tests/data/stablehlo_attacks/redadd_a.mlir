module @m {
 func.func public @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
%i = stablehlo.constant dense<-0.0> : tensor<4x2xf32>
%l = stablehlo.constant dense<-0.0> : tensor<f32>
%c = stablehlo.reduce(%i init: %l) applies stablehlo.add across dimensions = [1] : (tensor<4x2xf32>, tensor<f32>) -> tensor<4xf32>
%ex = stablehlo.exponential %arg0 : tensor<4xf32>
%nex = stablehlo.negate %ex : tensor<4xf32>
%y = stablehlo.atan2 %c, %nex : tensor<4xf32>
 return %y : tensor<4xf32>
 }
}
