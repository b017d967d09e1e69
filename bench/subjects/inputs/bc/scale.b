scale=5
1/3
sqrt(2)
length(12.345)
scale(1.25)
.5*.25
10%3
last
