"""Statements as a provider hands them out."""

ADYEN = """\
Company Account,Merchant Account,Psp Reference,Merchant Reference,Payment Method,Creation Date,TimeZone,Type,\
Modification Reference,Gross Currency,Gross Debit (GC),Gross Credit (GC),Exchange Rate,Net Currency,Net Debit (NC),\
Net Credit (NC),Commission (NC),Markup (NC),Scheme Fees (NC),Interchange (NC),Batch Number
Co,Shop,,,,2026-11-01 04:55:40,CET,Fee,Transaction Fees October,,,,,EUR,1.25,,,,,,7
Co,Shop,PSP1,r-1,visa,2026-11-01 09:00:00,CET,Settled,MOD1,EUR,,12.50,1,EUR,,12.38,,0.04,0.01,0.07,7
Co,Shop,,,,2026-11-01 23:00:00,CET,MerchantPayout,TX7,,,,,EUR,11.13,,,,,,7
"""
