select json_extract('{"a": [1, 2, {"b": null}]}', '$.a[2]'), json_array(1, 'x', null), json_valid('{bad');
select key, value, type from json_each('{"p": 1.5, "q": [true]}');
