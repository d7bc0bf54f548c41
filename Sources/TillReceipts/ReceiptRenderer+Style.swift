extension ReceiptRenderer {
    /// What a browser may do with the page: use its own style block, found by its hash, and nothing else.
    public static let contentSecurityPolicy =
        "default-src 'none'; style-src '\(styleHash)'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

    /// The hash of ``style``; a test computes it anew.
    static let styleHash = "sha256-Yey8CzuVmx4C0xSjCieBXyhfJqzzVFyHM6UKvrAmUTw="

    /// The style block, byte for byte.
    static let style: StaticString = """

        :root{color-scheme:light dark}
        body{margin:0;font:1rem/1.5 system-ui,sans-serif;background:Canvas;color:CanvasText}
        main{max-width:30rem;margin:0 auto;padding:1.5rem 1rem}
        header{text-align:center}
        header p{margin:0}
        h1{font-size:1.25rem;margin:0 0 .25rem;overflow-wrap:anywhere}
        .verdict{margin:1rem 0;padding:.75rem 1rem;border:2px solid;border-radius:.5rem;text-align:center}
        .verdict p{margin:0}
        .headline{font-size:1.25rem;font-weight:700}
        .warning{border-style:dashed}
        table{width:100%;border-collapse:collapse;margin:0 0 1rem}
        caption{text-align:left;font-weight:700;padding:.25rem 0;border-bottom:1px solid}
        th,td{padding:.25rem 0;text-align:left;vertical-align:top;font-weight:400;overflow-wrap:anywhere}
        thead th{font-size:.875rem}
        th+th,td{padding-left:.75rem}
        .n{text-align:right;font-variant-numeric:tabular-nums}
        .total th,.total td{font-weight:700;font-size:1.125rem;border-top:1px solid}
        ul{margin:0;padding:0 0 0 1rem;list-style:none;font-size:.875rem}
        @media print{main{padding:0}}

        """
}
