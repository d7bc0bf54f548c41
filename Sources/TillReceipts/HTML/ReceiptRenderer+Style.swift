extension ReceiptRenderer {
    /// The Content-Security-Policy of the page: only its own style block, by hash, and nothing else.
    public static let contentSecurityPolicy =
        "default-src 'none'; style-src '\(styleHash)'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

    /// The hash of ``style``, verified by a test.
    static let styleHash = "sha256-vXobLDxbSDRG2YKVLHDulq4aUUWRRFUzsPv6RgPACTE="

    /// The style block, byte for byte.
    static let style: StaticString = """

        :root{color-scheme:light dark}
        body{margin:0;font:1rem/1.5 system-ui,sans-serif;background:Canvas;color:CanvasText}
        main{max-width:30rem;margin:0 auto;padding:1.5rem 1rem}
        h1{font-size:1.25rem;margin:0 0 .25rem;overflow-wrap:anywhere;text-align:center}
        .c{margin:0;text-align:center;overflow-wrap:anywhere}
        .verdict{margin:1rem 0;padding:.75rem 1rem;border:2px solid;border-radius:.5rem;text-align:center}
        .verdict p{margin:0}
        .headline{font-size:1.25rem;font-weight:700}
        .warning{border-style:dashed}
        table{width:100%;border-collapse:collapse;margin:0 0 1rem}
        caption{text-align:start;font-weight:700;padding:.25rem 0;border-bottom:1px solid}
        th,td{padding:.25rem 0;text-align:start;vertical-align:baseline;font-weight:400;overflow-wrap:anywhere}
        thead th{font-size:.875rem;overflow-wrap:normal}
        th+th,td{padding-inline-start:.75rem}
        tbody th{min-width:6em}
        .sum tbody th{min-width:5em}
        .m{overflow-wrap:break-word}
        .l{font-size:.875rem}
        .a{white-space:nowrap}
        th.n,.n{text-align:end;font-variant-numeric:tabular-nums}
        .total th,.total td{font-weight:700;font-size:1.125rem;border-top:1px solid}
        .c.gap,.gap td{font-weight:700;text-decoration:underline}
        ul{margin:0;padding-inline-start:1rem;list-style:none;font-size:.875rem}
        figure{margin:1rem 0;text-align:center}
        svg{display:block;margin:0 auto;max-width:100%;fill:#000;background:#fff}
        .code{width:12rem}
        .logo{max-width:15rem}
        .sign{margin:4rem 0 1rem;border-top:1px solid;text-align:center}
        @media print{main{padding:0;max-width:none}tr,figure,.sign{break-inside:avoid}}

        """
}
