import TillJournal

/// The expressions over a payment's first event that its lists by origin are indexed by; see ``SaleOrigin``. A query
/// repeats them to the letter, otherwise it is not served from the index.
enum SaleColumns {
    static let seller = "till_said(body, '{by,id}')"
    static let shop = "till_said(body, '{order,metadata,shop}')"
    static let isBySeller = "version = 1 AND till_said(body, '{by,kind}') = 'staff'"
    static let isOfShop = "version = 1 AND \(shop) IS NOT NULL"

    /// The indexes, by name, with what each is over. The cheapest condition comes first: only a payment's first event
    /// is parsed.
    static let indexes: [(name: String, content: String)] = [
        ("event_seller", "event(account, \(seller), payment) WHERE \(isBySeller)"),
        ("event_shop", "event(account, \(shop), payment) WHERE \(isOfShop)"),
        ("event_seller_shop", "event(account, \(seller), \(shop), payment) WHERE \(isBySeller) AND \(isOfShop)"),
    ]

    /// The function's signature.
    static let function = "till_said(text, text[])"

    /// Creates the function. Every counter's writes call it for the indexes, also those of an earlier release. It has
    /// no answer for a damaged event, and for a text that is too long for an index. It is not marked as safe in
    /// parallel: its handler is a subtransaction, which a parallel worker cannot begin.
    static let functionSQL = """
        CREATE FUNCTION till_said(p_body text, p_path text[]) RETURNS text
          LANGUAGE plpgsql IMMUTABLE STRICT AS $till$
          DECLARE v_said text;
          BEGIN
            v_said := p_body::json #>> p_path;
            RETURN CASE WHEN octet_length(v_said) <= \(SaleOrigin.maximumBytes) THEN v_said END;
          EXCEPTION WHEN data_exception THEN
            RETURN NULL;
          END $till$;
        """
}
