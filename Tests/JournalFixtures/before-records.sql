PRAGMA application_id = 1414089804;
PRAGMA user_version = 1;
CREATE TABLE api_key(
  hash BLOB PRIMARY KEY NOT NULL, account TEXT NOT NULL, label TEXT NOT NULL,
  created_at INTEGER NOT NULL, revoked_at INTEGER
) STRICT;
INSERT INTO "api_key" VALUES(X'C728307C152B6ACB22FD766B9DDFC190C330F5C00025E58151F2DD4004FD796A','main','shop',1795340692630,NULL);
INSERT INTO "api_key" VALUES(X'70F2ED7A4CD83822A2A6A69D12DF515CFD18C5AFCB4A39D6D0802DE2CF2E2522','main','warehouse',1795340692812,NULL);
INSERT INTO "api_key" VALUES(X'0A8471CE76698E4D53966193CF5CC1EFF5695D4B936159DBB7B2BCE493C0D2FF','main','lost laptop',1795340692999,1795340697999);
CREATE TABLE event(
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  payment TEXT NOT NULL, version INTEGER NOT NULL, account TEXT NOT NULL, name TEXT NOT NULL,
  at INTEGER NOT NULL, body TEXT NOT NULL,
  UNIQUE(payment, version)
) STRICT;
INSERT INTO "event" VALUES(1,'pay_01m81a9ssf3zk9e3ze64becv81',1,'main','payment.created',1795340691247,'{"type":"payment.created","payment":"pay_01m81a9ssf3zk9e3ze64becv81","account":"main","capture_mode":"automatic","order":{"id":"order-0","number":"order-0","currency":"EUR","total":"12.50","subtotal":"12.50","tax":"0.00"}}');
INSERT INTO "event" VALUES(2,'pay_01m81a9ssf3zk9e3ze64becv81',2,'main','attempt.started',1795340691259,'{"type":"attempt.started","attempt":"pay_01m81a9ssf3zk9e3ze64becv81-a1","provider":"sandbox","amount":1250,"currency":"EUR","tender":{"kind":"reader","card":{"brand":"visa","last_four":"4242","entry_mode":"contact_emv"},"reader":"simulated"}}');
INSERT INTO "event" VALUES(3,'pay_01m81a9ssf3zk9e3ze64becv81',3,'main','attempt.prepared',1795340691263,'{"type":"attempt.prepared","attempt":"pay_01m81a9ssf3zk9e3ze64becv81-a1","reference":"sb_2ca7eabcc49feffa36151d03"}');
INSERT INTO "event" VALUES(4,'pay_01m81a9ssf3zk9e3ze64becv81',4,'main','attempt.authorized',1795340691270,'{"type":"attempt.authorized","attempt":"pay_01m81a9ssf3zk9e3ze64becv81-a1","reference":"sb_2ca7eabcc49feffa36151d03","amount":1250,"currency":"EUR","captured":false,"capture_before":1795945491269,"card":{"brand":"visa","last_four":"4242","entry_mode":"contact_emv","emv":{"application_preferred_name":"Visa Credit","dedicated_file_name":"A0000000031010","authorization_response_code":"3030","authorization_code":"148465","application_cryptogram":"7D8DFB60C8B81A4B","terminal_verification_results":"8000008000","transaction_status_information":"E800","cardholder_verification_method":"offline_pin"}}}');
INSERT INTO "event" VALUES(5,'pay_01m81a9ssf3zk9e3ze64becv81',5,'main','capture.started',1795340691270,'{"type":"capture.started","capture":"pay_01m81a9ssf3zk9e3ze64becv81-c1","attempt":"pay_01m81a9ssf3zk9e3ze64becv81-a1","amount":1250,"currency":"EUR","final":true}');
INSERT INTO "event" VALUES(6,'pay_01m81a9ssf3zk9e3ze64becv81',6,'main','capture.succeeded',1795340691272,'{"type":"capture.succeeded","capture":"pay_01m81a9ssf3zk9e3ze64becv81-c1","reference":"sb_2ca7eabcc49feffa36151d03_c1"}');
INSERT INTO "event" VALUES(7,'pay_01m81a9t0zp4pn0pnc9hbxmc16',1,'main','payment.created',1795340691487,'{"type":"payment.created","payment":"pay_01m81a9t0zp4pn0pnc9hbxmc16","account":"main","capture_mode":"automatic","order":{"id":"order-1","number":"order-1","currency":"EUR","total":"12.50","subtotal":"12.50","tax":"0.00"}}');
INSERT INTO "event" VALUES(8,'pay_01m81a9t0zp4pn0pnc9hbxmc16',2,'main','attempt.started',1795340691493,'{"type":"attempt.started","attempt":"pay_01m81a9t0zp4pn0pnc9hbxmc16-a1","provider":"sandbox","amount":1250,"currency":"EUR","tender":{"kind":"reader","card":{"brand":"visa","last_four":"4242","entry_mode":"contact_emv"},"reader":"simulated"}}');
INSERT INTO "event" VALUES(9,'pay_01m81a9t0zp4pn0pnc9hbxmc16',3,'main','attempt.prepared',1795340691508,'{"type":"attempt.prepared","attempt":"pay_01m81a9t0zp4pn0pnc9hbxmc16-a1","reference":"sb_335abc8f4016ccf06ac016ea"}');
INSERT INTO "event" VALUES(10,'pay_01m81a9t0zp4pn0pnc9hbxmc16',4,'main','attempt.authorized',1795340691517,'{"type":"attempt.authorized","attempt":"pay_01m81a9t0zp4pn0pnc9hbxmc16-a1","reference":"sb_335abc8f4016ccf06ac016ea","amount":1250,"currency":"EUR","captured":false,"capture_before":1795945491517,"card":{"brand":"visa","last_four":"4242","entry_mode":"contact_emv","emv":{"application_preferred_name":"Visa Credit","dedicated_file_name":"A0000000031010","authorization_response_code":"3030","authorization_code":"549245","application_cryptogram":"697229227415A4B7","terminal_verification_results":"8000008000","transaction_status_information":"E800","cardholder_verification_method":"offline_pin"}}}');
INSERT INTO "event" VALUES(11,'pay_01m81a9t0zp4pn0pnc9hbxmc16',5,'main','capture.started',1795340691517,'{"type":"capture.started","capture":"pay_01m81a9t0zp4pn0pnc9hbxmc16-c1","attempt":"pay_01m81a9t0zp4pn0pnc9hbxmc16-a1","amount":1250,"currency":"EUR","final":true}');
INSERT INTO "event" VALUES(12,'pay_01m81a9t0zp4pn0pnc9hbxmc16',6,'main','capture.succeeded',1795340691525,'{"type":"capture.succeeded","capture":"pay_01m81a9t0zp4pn0pnc9hbxmc16-c1","reference":"sb_335abc8f4016ccf06ac016ea_c1"}');
INSERT INTO "event" VALUES(13,'pay_01m81a9t8q5ejnrfejzwp8hv48',1,'main','payment.created',1795340691735,'{"type":"payment.created","payment":"pay_01m81a9t8q5ejnrfejzwp8hv48","account":"main","capture_mode":"automatic","order":{"id":"order-2","number":"order-2","currency":"EUR","total":"12.50","subtotal":"12.50","tax":"0.00"}}');
INSERT INTO "event" VALUES(14,'pay_01m81a9t8q5ejnrfejzwp8hv48',2,'main','attempt.started',1795340691752,'{"type":"attempt.started","attempt":"pay_01m81a9t8q5ejnrfejzwp8hv48-a1","provider":"sandbox","amount":1250,"currency":"EUR","tender":{"kind":"reader","card":{"brand":"visa","last_four":"4242","entry_mode":"contact_emv"},"reader":"simulated"}}');
INSERT INTO "event" VALUES(15,'pay_01m81a9t8q5ejnrfejzwp8hv48',3,'main','attempt.prepared',1795340691762,'{"type":"attempt.prepared","attempt":"pay_01m81a9t8q5ejnrfejzwp8hv48-a1","reference":"sb_a4bbf215f357678d5742cdfd"}');
INSERT INTO "event" VALUES(16,'pay_01m81a9t8q5ejnrfejzwp8hv48',4,'main','attempt.authorized',1795340691766,'{"type":"attempt.authorized","attempt":"pay_01m81a9t8q5ejnrfejzwp8hv48-a1","reference":"sb_a4bbf215f357678d5742cdfd","amount":1250,"currency":"EUR","captured":false,"capture_before":1795945491765,"card":{"brand":"visa","last_four":"4242","entry_mode":"contact_emv","emv":{"application_preferred_name":"Visa Credit","dedicated_file_name":"A0000000031010","authorization_response_code":"3030","authorization_code":"274744","application_cryptogram":"09A7D09261988FB4","terminal_verification_results":"8000008000","transaction_status_information":"E800","cardholder_verification_method":"offline_pin"}}}');
INSERT INTO "event" VALUES(17,'pay_01m81a9t8q5ejnrfejzwp8hv48',5,'main','capture.started',1795340691766,'{"type":"capture.started","capture":"pay_01m81a9t8q5ejnrfejzwp8hv48-c1","attempt":"pay_01m81a9t8q5ejnrfejzwp8hv48-a1","amount":1250,"currency":"EUR","final":true}');
INSERT INTO "event" VALUES(18,'pay_01m81a9t8q5ejnrfejzwp8hv48',6,'main','capture.succeeded',1795340691777,'{"type":"capture.succeeded","capture":"pay_01m81a9t8q5ejnrfejzwp8hv48-c1","reference":"sb_a4bbf215f357678d5742cdfd_c1"}');
INSERT INTO "event" VALUES(19,'pay_01m81a9tgab3p9dty4y0axpesx',1,'main','payment.created',1795340691978,'{"type":"payment.created","payment":"pay_01m81a9tgab3p9dty4y0axpesx","account":"main","capture_mode":"manual","order":{"id":"order-card","number":"order-card","currency":"EUR","total":"12.50","subtotal":"12.50","tax":"0.00"}}');
INSERT INTO "event" VALUES(20,'pay_01m81a9tgab3p9dty4y0axpesx',2,'main','attempt.started',1795340691988,'{"type":"attempt.started","attempt":"pay_01m81a9tgab3p9dty4y0axpesx-a1","provider":"sandbox","amount":1250,"currency":"EUR","tender":{"kind":"card","card":{"brand":"visa","last_four":"4242","entry_mode":"keyed"}}}');
INSERT INTO "event" VALUES(21,'pay_01m81a9tgab3p9dty4y0axpesx',3,'main','attempt.prepared',1795340691993,'{"type":"attempt.prepared","attempt":"pay_01m81a9tgab3p9dty4y0axpesx-a1","reference":"sb_bf24dd2276e07e737727ed68"}');
INSERT INTO "event" VALUES(22,'pay_01m81a9tgab3p9dty4y0axpesx',4,'main','attempt.authorized',1795340691997,'{"type":"attempt.authorized","attempt":"pay_01m81a9tgab3p9dty4y0axpesx-a1","reference":"sb_bf24dd2276e07e737727ed68","amount":1250,"currency":"EUR","captured":false,"capture_before":1795945491996,"card":{"brand":"visa","last_four":"4242","entry_mode":"keyed"}}');
INSERT INTO "event" VALUES(23,'pay_01m81a9tn5v774adx45k025gx1',1,'main','payment.created',1795340692133,'{"type":"payment.created","payment":"pay_01m81a9tn5v774adx45k025gx1","account":"main","capture_mode":"automatic","order":{"id":"order-cash","number":"order-cash","currency":"EUR","total":"12.50","subtotal":"12.50","tax":"0.00"}}');
INSERT INTO "event" VALUES(24,'pay_01m81a9tn5v774adx45k025gx1',2,'main','attempt.started',1795340692141,'{"type":"attempt.started","attempt":"pay_01m81a9tn5v774adx45k025gx1-a1","provider":"cash","amount":1250,"currency":"EUR","tender":{"kind":"cash"}}');
INSERT INTO "event" VALUES(25,'pay_01m81a9tn5v774adx45k025gx1',3,'main','attempt.authorized',1795340692153,'{"type":"attempt.authorized","attempt":"pay_01m81a9tn5v774adx45k025gx1-a1","reference":"cash-pay_01m81a9tn5v774adx45k025gx1-a1","amount":1250,"currency":"EUR","captured":true}');
INSERT INTO "event" VALUES(26,'pay_01m81a9ttt0s90qsaeywxk3vpn',1,'main','payment.created',1795340692314,'{"type":"payment.created","payment":"pay_01m81a9ttt0s90qsaeywxk3vpn","account":"main","capture_mode":"automatic","order":{"id":"order-declined","number":"order-declined","currency":"EUR","total":"12.50","subtotal":"12.50","tax":"0.00"}}');
INSERT INTO "event" VALUES(27,'pay_01m81a9ttt0s90qsaeywxk3vpn',2,'main','attempt.started',1795340692320,'{"type":"attempt.started","attempt":"pay_01m81a9ttt0s90qsaeywxk3vpn-a1","provider":"sandbox","amount":1250,"currency":"EUR","tender":{"kind":"reader","card":{"brand":"visa","last_four":"0002","entry_mode":"contact_emv"},"reader":"simulated"}}');
INSERT INTO "event" VALUES(28,'pay_01m81a9ttt0s90qsaeywxk3vpn',3,'main','attempt.prepared',1795340692324,'{"type":"attempt.prepared","attempt":"pay_01m81a9ttt0s90qsaeywxk3vpn-a1","reference":"sb_b52d9e2c9d5fe9a8214837e4"}');
INSERT INTO "event" VALUES(29,'pay_01m81a9ttt0s90qsaeywxk3vpn',4,'main','attempt.declined',1795340692328,'{"type":"attempt.declined","attempt":"pay_01m81a9ttt0s90qsaeywxk3vpn-a1","decline_reason":"insufficient_funds","decline_code":"insufficient_funds","decline_message":"Your card was declined (insufficient_funds).","declined_card":{"brand":"visa","last_four":"0002","entry_mode":"contact_emv","emv":{"application_preferred_name":"Visa Credit","dedicated_file_name":"A0000000031010","authorization_response_code":"3531","application_cryptogram":"AE6FD26CAF021822","terminal_verification_results":"8000008000","transaction_status_information":"E800","cardholder_verification_method":"offline_pin"}}}');
INSERT INTO "event" VALUES(30,'pay_01m81a9t0zp4pn0pnc9hbxmc16',7,'main','refund.started',1795340692470,'{"type":"refund.started","refund":"pay_01m81a9t0zp4pn0pnc9hbxmc16-r1","attempt":"pay_01m81a9t0zp4pn0pnc9hbxmc16-a1","amount":1250,"currency":"EUR"}');
INSERT INTO "event" VALUES(31,'pay_01m81a9t0zp4pn0pnc9hbxmc16',8,'main','refund.succeeded',1795340692477,'{"type":"refund.succeeded","refund":"pay_01m81a9t0zp4pn0pnc9hbxmc16-r1","reference":"re_335abc8f4016ccf06ac016ea_1"}');
INSERT INTO "event" VALUES(32,'pay_01m81aa40mt3r8d7ymb0ccxwqa',1,'main','payment.created',1795340701716,'{"type":"payment.created","payment":"pay_01m81aa40mt3r8d7ymb0ccxwqa","account":"main","capture_mode":"automatic","order":{"id":"shop-eddd05a866f04635128a","number":"shop-eddd05a866f04635128a","currency":"GBP","total":"15.99","tax":"0.00","lines":[{"name":"Margherita","quantity":"1","subtotal":"8.99","total":"8.99","tax":"0.00"},{"name":"Tiramisu","quantity":"1","subtotal":"4.50","total":"4.50","tax":"0.00"}],"shipping":[{"name":"Delivery","total":"2.50","tax":"0.00"}]}}');
INSERT INTO "event" VALUES(33,'pay_01m81aa40mt3r8d7ymb0ccxwqa',2,'main','attempt.started',1795340701733,'{"type":"attempt.started","attempt":"pay_01m81aa40mt3r8d7ymb0ccxwqa-a1","provider":"sandbox","amount":1599,"currency":"GBP","tender":{"kind":"wallet","card":{"brand":"visa","last_four":"0075","entry_mode":"apple_pay"}}}');
INSERT INTO "event" VALUES(34,'pay_01m81aa40mt3r8d7ymb0ccxwqa',3,'main','attempt.prepared',1795340701743,'{"type":"attempt.prepared","attempt":"pay_01m81aa40mt3r8d7ymb0ccxwqa-a1","reference":"sb_647d9ec61c7a5cdaf2299324"}');
INSERT INTO "event" VALUES(35,'pay_01m81aa40mt3r8d7ymb0ccxwqa',4,'main','attempt.authorized',1795340701751,'{"type":"attempt.authorized","attempt":"pay_01m81aa40mt3r8d7ymb0ccxwqa-a1","reference":"sb_647d9ec61c7a5cdaf2299324","amount":1599,"currency":"GBP","captured":false,"capture_before":1795945501750,"card":{"brand":"visa","last_four":"0075","entry_mode":"apple_pay"}}');
INSERT INTO "event" VALUES(36,'pay_01m81aa40mt3r8d7ymb0ccxwqa',5,'main','capture.started',1795340701751,'{"type":"capture.started","capture":"pay_01m81aa40mt3r8d7ymb0ccxwqa-c1","attempt":"pay_01m81aa40mt3r8d7ymb0ccxwqa-a1","amount":1599,"currency":"GBP","final":true}');
INSERT INTO "event" VALUES(37,'pay_01m81aa40mt3r8d7ymb0ccxwqa',6,'main','capture.succeeded',1795340701758,'{"type":"capture.succeeded","capture":"pay_01m81aa40mt3r8d7ymb0ccxwqa-c1","reference":"sb_647d9ec61c7a5cdaf2299324_c1"}');
INSERT INTO "event" VALUES(38,'pay_01m81aa52f4qk80104ctfwke59',1,'main','payment.created',1795340702799,'{"type":"payment.created","payment":"pay_01m81aa52f4qk80104ctfwke59","account":"main","capture_mode":"automatic","order":{"id":"order-http","number":"order-http","currency":"EUR","total":"12.50","subtotal":"12.50","tax":"0.00"}}');
INSERT INTO "event" VALUES(39,'pay_01m81aa52f4qk80104ctfwke59',2,'main','attempt.started',1795340703417,'{"type":"attempt.started","attempt":"pay_01m81aa52f4qk80104ctfwke59-a1","provider":"sandbox","amount":1250,"currency":"EUR","tender":{"kind":"reader","card":{"brand":"visa","last_four":"4242","entry_mode":"contact_emv"},"reader":"simulated"}}');
INSERT INTO "event" VALUES(40,'pay_01m81aa52f4qk80104ctfwke59',3,'main','attempt.prepared',1795340703420,'{"type":"attempt.prepared","attempt":"pay_01m81aa52f4qk80104ctfwke59-a1","reference":"sb_f316e4f09a6d9ff38dbbbaf0"}');
INSERT INTO "event" VALUES(41,'pay_01m81aa52f4qk80104ctfwke59',4,'main','attempt.authorized',1795340703429,'{"type":"attempt.authorized","attempt":"pay_01m81aa52f4qk80104ctfwke59-a1","reference":"sb_f316e4f09a6d9ff38dbbbaf0","amount":1250,"currency":"EUR","captured":false,"capture_before":1795945503429,"card":{"brand":"visa","last_four":"4242","entry_mode":"contact_emv","emv":{"application_preferred_name":"Visa Credit","dedicated_file_name":"A0000000031010","authorization_response_code":"3030","authorization_code":"290321","application_cryptogram":"77D19069F2961852","terminal_verification_results":"8000008000","transaction_status_information":"E800","cardholder_verification_method":"offline_pin"}}}');
INSERT INTO "event" VALUES(42,'pay_01m81aa52f4qk80104ctfwke59',5,'main','capture.started',1795340703429,'{"type":"capture.started","capture":"pay_01m81aa52f4qk80104ctfwke59-c1","attempt":"pay_01m81aa52f4qk80104ctfwke59-a1","amount":1250,"currency":"EUR","final":true}');
INSERT INTO "event" VALUES(43,'pay_01m81aa52f4qk80104ctfwke59',6,'main','capture.succeeded',1795340703437,'{"type":"capture.succeeded","capture":"pay_01m81aa52f4qk80104ctfwke59-c1","reference":"sb_f316e4f09a6d9ff38dbbbaf0_c1"}');
CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
INSERT INTO "grdb_migrations" VALUES('1 journal');
INSERT INTO "grdb_migrations" VALUES('printing');
INSERT INTO "grdb_migrations" VALUES('printing: steps, tries, trust');
INSERT INTO "grdb_migrations" VALUES('printing: paper, refunds');
INSERT INTO "grdb_migrations" VALUES('wallets');
INSERT INTO "grdb_migrations" VALUES('receipt mail');
INSERT INTO "grdb_migrations" VALUES('provider notices');
CREATE TABLE idempotency(
  account TEXT NOT NULL, operation TEXT NOT NULL, key TEXT NOT NULL,
  fingerprint BLOB NOT NULL, request BLOB NOT NULL, finished INTEGER NOT NULL,
  payment TEXT, step TEXT, status INTEGER, body BLOB, owner INTEGER, created_at INTEGER NOT NULL,
  PRIMARY KEY(account, operation, key)
) STRICT;
INSERT INTO "idempotency" VALUES('main','applepay transaction','f87586a564f7e8dbbe219342b57a3be6c0386609ef57c1cbc4508e9faa09fa3b',X'87F7B3EC66144AC4BD978C50B74BA229CC435052391ADB86FBAAA6441D348B76',X'7B7D',0,NULL,NULL,NULL,NULL,24,1795340701704);
INSERT INTO "idempotency" VALUES('main','POST /v1/payments','key-1',X'CC249FDDCF57149652A1FAF4DB22FB50EBDFD6284E1039A602DE5945DB0B6870',X'7B22616D6F756E74223A313235302C2263757272656E6379223A22455552222C226F726465725F6964223A226F726465722D68747470227D',1,'pay_01m81aa52f4qk80104ctfwke59',NULL,201,X'7B226964223A227061795F30316D3831616135326634716B3830313034637466776B653539222C226163636F756E74223A226D61696E222C226F726465725F6964223A226F726465722D68747470222C226F726465725F6E756D626572223A226F726465722D68747470222C22737461747573223A2272657175697265735F7061796D656E745F6D6574686F64222C22616D6F756E74223A313235302C2263757272656E6379223A22455552222C22746970223A302C22617574686F72697A6564223A302C226361707475726564223A302C22726566756E646564223A302C2268656C64223A302C2272656C6561736564223A302C2263617074757265223A226175746F6D61746963222C2270726F7669646572223A6E756C6C2C2274656E646572223A6E756C6C2C22617474656D707473223A5B5D2C226361707475726573223A5B5D2C22726566756E6473223A5B5D2C226D6F6E65795F6D6F766564223A226E6F222C226D657373616765223A22526561647920666F72207061796D656E742E204E6F206D6F6E6579206D6F7665642E222C226E656564735F617474656E74696F6E223A5B5D2C22726563656970745F75726C223A222F76312F7061796D656E74732F7061795F30316D3831616135326634716B3830313034637466776B6535392F72656365697074222C22637265617465645F6174223A22323032362D31312D32325430393A34353A30322E3739395A222C22757064617465645F6174223A22323032362D31312D32325430393A34353A30322E3739395A227D',NULL,1795340702799);
INSERT INTO "idempotency" VALUES('main','POST /v1/payments/pay_01m81aa52f4qk80104ctfwke59/confirm','key-2',X'F345E168F9E7ACC6A1B3BF024EB774D50C4FDD3BDAA680E451A95FC48698026D',X'7B2274656E646572223A7B2263617264223A2276697361222C22726561646572223A2273696D756C61746564222C2274797065223A22726561646572227D7D',1,'pay_01m81aa52f4qk80104ctfwke59',NULL,200,X'7B226964223A227061795F30316D3831616135326634716B3830313034637466776B653539222C226163636F756E74223A226D61696E222C226F726465725F6964223A226F726465722D68747470222C226F726465725F6E756D626572223A226F726465722D68747470222C22737461747573223A22737563636565646564222C22616D6F756E74223A313235302C2263757272656E6379223A22455552222C22746970223A302C22617574686F72697A6564223A313235302C226361707475726564223A313235302C22726566756E646564223A302C2268656C64223A302C2272656C6561736564223A302C2263617074757265223A226175746F6D61746963222C2270726F7669646572223A2273616E64626F78222C2274656E646572223A7B2274797065223A22726561646572222C226272616E64223A2276697361222C226E6574776F726B223A6E756C6C2C226C6173745F666F7572223A2234323432222C22656E7472795F6D6F6465223A22636F6E746163745F656D76222C22726561646572223A2273696D756C61746564227D2C22617474656D707473223A5B7B226964223A227061795F30316D3831616135326634716B3830313034637466776B6535392D6131222C2270726F7669646572223A2273616E64626F78222C22737461747573223A22617574686F72697A6564222C22616D6F756E74223A313235302C227265666572656E6365223A2273625F663331366534663039613664396666333864626262616630222C226465636C696E65223A6E756C6C2C22616374696F6E223A6E756C6C7D5D2C226361707475726573223A5B7B226964223A227061795F30316D3831616135326634716B3830313034637466776B6535392D6331222C22616D6F756E74223A313235302C22737461747573223A22737563636565646564222C2266696E616C223A747275657D5D2C22726566756E6473223A5B5D2C226D6F6E65795F6D6F766564223A22796573222C226D657373616765223A22506169643A2031322E3530204555522E222C226E656564735F617474656E74696F6E223A5B5D2C22726563656970745F75726C223A222F76312F7061796D656E74732F7061795F30316D3831616135326634716B3830313034637466776B6535392F72656365697074222C22637265617465645F6174223A22323032362D31312D32325430393A34353A30322E3739395A222C22757064617465645F6174223A22323032362D31312D32325430393A34353A30332E3433375A227D',NULL,1795340702810);
CREATE TABLE outbox(
  payment TEXT PRIMARY KEY NOT NULL REFERENCES payment(id), due_at INTEGER, owner INTEGER
) STRICT, WITHOUT ROWID;
INSERT INTO "outbox" VALUES('pay_01m81a9tgab3p9dty4y0axpesx',1795859091996,NULL);
CREATE TABLE payment(
  id TEXT PRIMARY KEY NOT NULL, account TEXT NOT NULL, order_id TEXT NOT NULL, order_number TEXT NOT NULL,
  live INTEGER NOT NULL, version INTEGER NOT NULL, status TEXT NOT NULL,
  amount INTEGER NOT NULL, currency TEXT NOT NULL, captured INTEGER NOT NULL, refunded INTEGER NOT NULL,
  provider TEXT, tender TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO "payment" VALUES('pay_01m81a9ssf3zk9e3ze64becv81','main','order-0','order-0',1,6,'succeeded',1250,'EUR',1250,0,'sandbox','reader',1795340691247,1795340691272);
INSERT INTO "payment" VALUES('pay_01m81a9t0zp4pn0pnc9hbxmc16','main','order-1','order-1',0,8,'refunded',1250,'EUR',1250,1250,'sandbox','reader',1795340691487,1795340692477);
INSERT INTO "payment" VALUES('pay_01m81a9t8q5ejnrfejzwp8hv48','main','order-2','order-2',1,6,'succeeded',1250,'EUR',1250,0,'sandbox','reader',1795340691735,1795340691777);
INSERT INTO "payment" VALUES('pay_01m81a9tgab3p9dty4y0axpesx','main','order-card','order-card',1,4,'requires_capture',1250,'EUR',0,0,'sandbox','card',1795340691978,1795340691997);
INSERT INTO "payment" VALUES('pay_01m81a9tn5v774adx45k025gx1','main','order-cash','order-cash',1,3,'succeeded',1250,'EUR',1250,0,'cash','cash',1795340692133,1795340692153);
INSERT INTO "payment" VALUES('pay_01m81a9ttt0s90qsaeywxk3vpn','main','order-declined','order-declined',1,4,'declined',1250,'EUR',0,0,'sandbox','reader',1795340692314,1795340692328);
INSERT INTO "payment" VALUES('pay_01m81aa40mt3r8d7ymb0ccxwqa','main','shop-eddd05a866f04635128a','shop-eddd05a866f04635128a',1,6,'succeeded',1599,'GBP',1599,0,'sandbox','wallet',1795340701716,1795340701758);
INSERT INTO "payment" VALUES('pay_01m81aa52f4qk80104ctfwke59','main','order-http','order-http',1,6,'succeeded',1250,'EUR',1250,0,'sandbox','reader',1795340702799,1795340703437);
CREATE TABLE print_job(
  id TEXT PRIMARY KEY NOT NULL, payment TEXT NOT NULL, printer TEXT NOT NULL, copy TEXT NOT NULL,
  copies INTEGER NOT NULL, reprint INTEGER NOT NULL, state TEXT NOT NULL, number INTEGER,
  note TEXT NOT NULL, owner INTEGER, created_at INTEGER NOT NULL
, begun INTEGER NOT NULL DEFAULT 0, tries INTEGER NOT NULL DEFAULT 0, next_try_at INTEGER NOT NULL DEFAULT 0, width TEXT, refund TEXT) STRICT;
INSERT INTO "print_job" VALUES('print_01m81a9wdk5t7g068syd706t9g','pay_01m81a9ssf3zk9e3ze64becv81','bar','customer',1,0,'sent',NULL,'The receipt was handed to the printer. The printer does not say how it stands.',NULL,1795340693939,1,1,1795340693939,NULL,NULL);
INSERT INTO "print_job" VALUES('print_01m81a9ybz6a877m45p19t072n','pay_01m81a9t0zp4pn0pnc9hbxmc16','kitchen','customer',1,0,'waiting',NULL,'The printer cannot be reached: no connection to 127.0.0.1:57659; nothing was sent to it. Check that it is on and its address right, then print the receipt again.',NULL,1795340695935,0,1,1795340701586,'58',NULL);
INSERT INTO "print_job" VALUES('print_01m81a9z52atsry7bym4ta0d13','pay_01m81a9t8q5ejnrfejzwp8hv48','kitchen','customer',1,0,'printed',41,'It is on paper.',NULL,1795340696738,1,1,1795340702366,NULL,NULL);
INSERT INTO "print_job" VALUES('print_01m81a9zyqsrkmvz0y7azy929t','pay_01m81a9t8q5ejnrfejzwp8hv48','kitchen','merchant',2,0,'failed',42,'The printer gave up.',NULL,1795340697559,0,1,1795340703205,NULL,NULL);
INSERT INTO "print_job" VALUES('print_01m81aa0s71wddmhjy4fs2grm3','pay_01m81a9t8q5ejnrfejzwp8hv48','kitchen','customer',3,0,'may_have_printed',43,'Look at the paper.',NULL,1795340698407,1,1,1795340704050,NULL,NULL);
INSERT INTO "print_job" VALUES('print_01m81aa1k0as33jp2zvze543a2','pay_01m81a9t8q5ejnrfejzwp8hv48','kitchen','merchant',4,0,'sending',44,'The printer cannot be reached: no connection to 127.0.0.1:57659; nothing was sent to it. Check that it is on and its address right, then print the receipt again.',3,1795340699232,1,1,1795340704873,NULL,'ref_1');
INSERT INTO "print_job" VALUES('print_01m81aa2e5vjafttdadfxy2azd','pay_01m81a9t8q5ejnrfejzwp8hv48','kitchen','customer',1,0,'canceled',NULL,'It was called off; nothing was printed.',NULL,1795340700101,0,1,1795340705741,NULL,NULL);
CREATE TABLE printer(
  name TEXT PRIMARY KEY NOT NULL, address TEXT NOT NULL, profile TEXT NOT NULL, certificate BLOB
, trusts_first INTEGER NOT NULL DEFAULT 0, user TEXT, password_file TEXT) STRICT;
INSERT INTO "printer" VALUES('bar','socket://127.0.0.1:36673','58',NULL,0,NULL,NULL);
INSERT INTO "printer" VALUES('kitchen','socket://127.0.0.1:57659','80',NULL,0,NULL,NULL);
INSERT INTO "printer" VALUES('office','ipps://127.0.0.1:6310/ipp/print','80',X'ABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABAB',0,'ada','/tmp/shop/pw');
INSERT INTO "printer" VALUES('hall','ipps://127.0.0.1:6311/ipp/print','80',NULL,1,NULL,NULL);
CREATE TABLE process(
  owner INTEGER PRIMARY KEY AUTOINCREMENT, started_at INTEGER NOT NULL, description TEXT NOT NULL
) STRICT;
INSERT INTO "process" VALUES(1,1795340691212,'till');
INSERT INTO "process" VALUES(2,1795340691482,'till');
INSERT INTO "process" VALUES(3,1795340691729,'till');
INSERT INTO "process" VALUES(4,1795340691972,'till');
INSERT INTO "process" VALUES(5,1795340692127,'till');
INSERT INTO "process" VALUES(6,1795340692308,'till');
INSERT INTO "process" VALUES(7,1795340692461,'till');
INSERT INTO "process" VALUES(8,1795340692624,'till');
INSERT INTO "process" VALUES(9,1795340692801,'till');
INSERT INTO "process" VALUES(10,1795340692983,'till');
INSERT INTO "process" VALUES(11,1795340693164,'till');
INSERT INTO "process" VALUES(12,1795340693277,'till');
INSERT INTO "process" VALUES(13,1795340693409,'till');
INSERT INTO "process" VALUES(14,1795340693597,'till');
INSERT INTO "process" VALUES(15,1795340693901,'till');
INSERT INTO "process" VALUES(16,1795340695904,'till');
INSERT INTO "process" VALUES(17,1795340696721,'till');
INSERT INTO "process" VALUES(18,1795340697541,'till');
INSERT INTO "process" VALUES(19,1795340698388,'till');
INSERT INTO "process" VALUES(20,1795340699209,'till');
INSERT INTO "process" VALUES(21,1795340700077,'till');
INSERT INTO "process" VALUES(22,1795340700973,'till');
INSERT INTO "process" VALUES(23,1795340701171,'till');
INSERT INTO "process" VALUES(24,1795340701471,'till');
CREATE TABLE provider_notice(
  seq INTEGER PRIMARY KEY, provider TEXT NOT NULL, name TEXT NOT NULL, reference TEXT NOT NULL,
  payment TEXT, document BLOB NOT NULL, received_at INTEGER NOT NULL, UNIQUE(provider, name)
) STRICT;
INSERT INTO "provider_notice" VALUES(1,'adyen','AUTHORISATION/PSP1/true','pay_1-a1','PSP1',X'7B226576656E74436F6465223A22415554484F5249534154494F4E222C227073705265666572656E6365223A2250535031222C226D65726368616E745265666572656E6365223A227061795F312D6131222C226D65726368616E744163636F756E74436F6465223A2254696C6C45434F4D222C226D696E6F72223A313235302C2263757272656E6379223A22455552222C2273756363657373223A747275657D',1795340700106);
INSERT INTO "provider_notice" VALUES(2,'adyen','CAPTURE/PSP2/true','pay_1-c1','PSP1',X'7B226576656E74436F6465223A2243415054555245222C227073705265666572656E6365223A2250535032222C226F726967696E616C5265666572656E6365223A2250535031222C226D65726368616E745265666572656E6365223A227061795F312D6331222C226D65726368616E744163636F756E74436F6465223A2254696C6C45434F4D222C226D696E6F72223A313235302C2263757272656E6379223A22455552222C2273756363657373223A747275657D',1795340700107);
INSERT INTO "provider_notice" VALUES(3,'adyen','REFUND/PSP3/true','pay_2-r1',NULL,X'7B226576656E74436F6465223A22524546554E44222C227073705265666572656E6365223A2250535033222C226D65726368616E745265666572656E6365223A227061795F322D7231222C226D65726368616E744163636F756E74436F6465223A2254696C6C45434F4D222C226D696E6F72223A313235302C2263757272656E6379223A22455552222C2273756363657373223A747275657D',1795340700108);
CREATE TABLE receipt_mail(
  id TEXT PRIMARY KEY NOT NULL, payment TEXT NOT NULL, masked TEXT NOT NULL, state TEXT NOT NULL,
  note TEXT NOT NULL, owner INTEGER, created_at INTEGER NOT NULL
) STRICT;
INSERT INTO "receipt_mail" VALUES('mail_01m81aa3g2spm48ksvxm9nvzmp','pay_01m81a9ssf3zk9e3ze64becv81','a•••@customer.example','failed','The receipt was not sent: the mail server 127.0.0.1 cannot be reached. Check the mail server''s settings, then send it again.',NULL,1795340701186);
INSERT INTO "receipt_mail" VALUES('mail_sent','pay_01m81a9ssf3zk9e3ze64becv81','a•••@example.com','sent','The receipt was sent.',NULL,1795340700103);
INSERT INTO "receipt_mail" VALUES('mail_sending','pay_01m81a9ssf3zk9e3ze64becv81','b•••@example.com','sending','',4,1795340700104);
INSERT INTO "receipt_mail" VALUES('mail_unsure','pay_01m81a9t0zp4pn0pnc9hbxmc16','c•••@example.com','may_have_been_sent','No answer.',NULL,1795340700105);
CREATE TABLE wallet_account(
  name BLOB PRIMARY KEY NOT NULL, id TEXT NOT NULL, token BLOB NOT NULL, created_at INTEGER NOT NULL
) STRICT;
INSERT INTO "wallet_account" VALUES(X'B5FC85E55755F9E0D030A10AB4429B6B2944855F9A0D60077FE832BECBC41D72','guest_02ac7bc1c1bb5f6d',X'02AC7BC1C1BB5F6D25CF5406F3EECD81BF51FF3A020FC1088B945D535910BECC',1795340701764);
CREATE TABLE wallet_basket(
  id TEXT PRIMARY KEY NOT NULL, account TEXT, version INTEGER NOT NULL, document BLOB NOT NULL,
  nonce BLOB NOT NULL, opened_at INTEGER NOT NULL, txn TEXT, owner INTEGER, payment TEXT,
  contact BLOB, answer BLOB
) STRICT;
INSERT INTO "wallet_basket" VALUES('shop-e12c4da3611978dba4e3',NULL,1,X'7B226964223A2273686F702D6531326334646133363131393738646261346533222C2276657273696F6E223A312C2263757272656E6379223A22474250222C226C696E6573223A5B7B226C6162656C223A224D617267686572697461222C22616D6F756E74223A3839397D2C7B226C6162656C223A22546972616D697375222C22616D6F756E74223A3435307D5D2C227368697070696E674D6574686F6473223A5B7B226964656E746966696572223A227374616E64617264222C226C6162656C223A2244656C6976657279222C2264657461696C223A22496E203435206D696E75746573222C22616D6F756E74223A3235307D2C7B226964656E746966696572223A2265787072657373222C226C6162656C223A22457870726573732064656C6976657279222C2264657461696C223A22496E203235206D696E75746573222C22616D6F756E74223A3439397D5D2C22706179734279437265646974223A66616C73652C227368697070696E674D6574686F64223A227374616E64617264227D',X'6505FEE7353ACECDE529AA5522EDD8A1AC2FE57FDBD5E6DBF853E5F496B6C2F2',1795340701588,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "wallet_basket" VALUES('shop-eddd05a866f04635128a',NULL,1,X'7B226964223A2273686F702D6564646430356138363666303436333531323861222C2276657273696F6E223A312C2263757272656E6379223A22474250222C226C696E6573223A5B7B226C6162656C223A224D617267686572697461222C22616D6F756E74223A3839397D2C7B226C6162656C223A22546972616D697375222C22616D6F756E74223A3435307D5D2C227368697070696E674D6574686F6473223A5B7B226964656E746966696572223A227374616E64617264222C226C6162656C223A2244656C6976657279222C2264657461696C223A22496E203435206D696E75746573222C22616D6F756E74223A3235307D2C7B226964656E746966696572223A2265787072657373222C226C6162656C223A22457870726573732064656C6976657279222C2264657461696C223A22496E203235206D696E75746573222C22616D6F756E74223A3439397D5D2C22706179734279437265646974223A66616C73652C227368697070696E674D6574686F64223A227374616E64617264227D',X'0D235F585C758797132C74C5DD4581C82D11F1CC892334E9FDC5C1896F13F76C',1795340701612,'f87586a564f7e8dbbe219342b57a3be6c0386609ef57c1cbc4508e9faa09fa3b',NULL,'pay_01m81aa40mt3r8d7ymb0ccxwqa',X'7B22676976656E4E616D65223A22416461204C6F76656C616365222C22656D61696C41646472657373223A22616461406578616D706C652E636F6D222C2270686F6E654E756D626572223A222B343420323020373934362030303030222C22616464726573734C696E6573223A5B223120466C65657420506C616365225D2C226C6F63616C697479223A224C6F6E646F6E222C2261646D696E69737472617469766541726561223A22222C22706F7374616C436F6465223A224543344D20375246222C22636F756E747279436F6465223A224742227D',X'7B22737461747573223A22706C61636564222C226F726465724964223A2273686F702D6564646430356138363666303436333531323861222C227061796D656E744964223A227061795F30316D3831616134306D743372386437796D6230636378777161222C226D6F6E65794D6F766564223A22796573222C22616D6F756E74223A2231352E3939222C2263757272656E6379223A22474250222C2267756573744163636F756E74223A2267756573745F30326163376263316331626235663664227D');
INSERT INTO "wallet_basket" VALUES('shop-7d2d144ee299c06e23ca',NULL,1,X'7B226964223A2273686F702D3764326431343465653239396330366532336361222C2276657273696F6E223A312C2263757272656E6379223A22474250222C226C696E6573223A5B7B226C6162656C223A224D617267686572697461222C22616D6F756E74223A3839397D2C7B226C6162656C223A22546972616D697375222C22616D6F756E74223A3435307D5D2C227368697070696E674D6574686F6473223A5B7B226964656E746966696572223A227374616E64617264222C226C6162656C223A2244656C6976657279222C2264657461696C223A22496E203435206D696E75746573222C22616D6F756E74223A3235307D2C7B226964656E746966696572223A2265787072657373222C226C6162656C223A22457870726573732064656C6976657279222C2264657461696C223A22496E203235206D696E75746573222C22616D6F756E74223A3439397D5D2C22706179734279437265646974223A66616C73652C227368697070696E674D6574686F64223A227374616E64617264227D',X'C10D720ACBEE7894C803630FCB16097F58004CDFA05E4D726A2E575811078D5B',1795340701630,'txn-dead',5,'pay_01m81a9ssf3zk9e3ze64becv81',X'7B22676976656E4E616D65223A22416461227D',NULL);
CREATE TABLE wallet_token_event(
  id TEXT PRIMARY KEY NOT NULL, received_at INTEGER NOT NULL, document BLOB
) STRICT;
INSERT INTO "wallet_token_event" VALUES('event-waiting',1795340700101,NULL);
INSERT INTO "wallet_token_event" VALUES('event-known',1795340700102,X'7B226576656E7454797065223A2245585049524544222C226C617374466F7572223A2231323334227D');
CREATE TABLE webhook(
  provider TEXT NOT NULL, id TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY(provider, id)
) STRICT;
CREATE UNIQUE INDEX payment_live ON payment(account, order_id) WHERE live = 1;
CREATE INDEX payment_order ON payment(account, order_id);
CREATE INDEX outbox_due ON outbox(due_at);
CREATE INDEX print_job_payment ON print_job(payment);
CREATE INDEX print_job_open ON print_job(state) WHERE state IN ('waiting', 'sending');
CREATE INDEX wallet_basket_open ON wallet_basket(opened_at) WHERE txn IS NULL;
CREATE INDEX wallet_basket_paid ON wallet_basket(opened_at) WHERE txn IS NOT NULL;
CREATE UNIQUE INDEX wallet_account_token ON wallet_account(token);
CREATE INDEX wallet_token_event_open ON wallet_token_event(received_at) WHERE document IS NULL;
CREATE INDEX receipt_mail_payment ON receipt_mail(payment);
CREATE INDEX provider_notice_reference ON provider_notice(provider, reference);
CREATE INDEX provider_notice_payment ON provider_notice(provider, payment);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('process',24);
INSERT INTO "sqlite_sequence" VALUES('event',43);
