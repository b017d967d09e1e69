var a=[1,0x1f,"b"];for(var i=0;i<3;i++)a[i]+=i;
