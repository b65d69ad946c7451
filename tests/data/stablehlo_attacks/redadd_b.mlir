module @m {
 func.func public @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
%c = stablehlo.constant dense<0.0> : tensor<4xf32>
%ex = stablehlo.exponential %arg0 : tensor<4xf32>
%nex = stablehlo.negate %ex : tensor<4xf32>
%y = stablehlo.atan2 %c, %nex : tensor<4xf32>
 return %y : tensor<4xf32>
 }
}
