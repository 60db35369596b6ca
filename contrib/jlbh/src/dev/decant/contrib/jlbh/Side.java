package dev.decant.contrib.jlbh;

import java.util.function.LongConsumer;

/**
 * An engine with an initiator that sends orders and an acceptor that fills each of them. The ClOrdID of an order is the
 * time at which it was due, so the report of its execution says when that was.
 */
interface Side extends AutoCloseable {
  String BEGIN_STRING = "FIX.4.2";
  String BUYER = "BUYER";
  String VENUE = "VENUE";
  int HEARTBEAT_SECONDS = 30;
  String SYMBOL = "MSFT";
  int QUANTITY = 100;
  /** Mantissa of the price: its two last digits are decimals. */
  int PRICE_HUNDREDTHS = 12_345;
  String TRANSACT_TIME = "20261127-09:30:00";

  int AVG_PX = 6;
  int CL_ORD_ID = 11;
  int CUM_QTY = 14;
  int EXEC_ID = 17;
  int EXEC_TRANS_TYPE = 20;
  int HANDL_INST = 21;
  int ORDER_ID = 37;
  int ORDER_QTY = 38;
  int ORD_STATUS = 39;
  int ORD_TYPE = 40;
  int PRICE = 44;
  int SIDE = 54;
  int SYMBOL_TAG = 55;
  int TRANSACT_TIME_TAG = 60;
  int EXEC_TYPE = 150;
  int LEAVES_QTY = 151;

  /** Opens an engine by its name; it is logged on when this returns. {@code filled} gets the ClOrdID of each report. */
  static Side open(String engine, LongConsumer filled) throws Exception {
    return switch (engine) {
      case "decant" -> new DecantSide(filled);
      case "quickfixj" -> new QuickFixSide(filled);
      case "philadelphia" -> new PhiladelphiaSide(filled);
      default -> throw new IllegalArgumentException("no engine " + engine + "; decant, quickfixj or philadelphia");
    };
  }

  /** Sends an order. One thread. */
  void send(long dueNanos) throws Exception;

  @Override
  void close() throws Exception;
}
