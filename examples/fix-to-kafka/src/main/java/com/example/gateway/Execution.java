package com.example.gateway;

/**
 * An order, or its execution, as the value of a record: four fields with commas. A service of yours would take a
 * schema.
 *
 * @param order ClOrdID(11), which is the key of the record, too
 * @param symbol Symbol(55)
 * @param side Side(54)
 * @param quantity OrderQty(38)
 */
record Execution(String order, String symbol, String side, long quantity) {
  private static final int FIELDS = 4;

  String text() {
    return order + "," + symbol + "," + side + "," + quantity;
  }

  static Execution parse(String text) {
    String[] fields = text == null ? new String[0] : text.split(",", -1);
    if (fields.length != FIELDS) {
      throw new IllegalArgumentException("not an execution: " + text);
    }
    return new Execution(fields[0], fields[1], fields[2], Long.parseLong(fields[3]));
  }
}
