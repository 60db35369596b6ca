package dev.decant.lab.fix;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The order that goes there and back: a NewOrderSingle of FIX.4.2 with the fields that this version requires, quantity
 * and price. It has {@link #WIRE_BYTES} bytes while MsgSeqNum(34) has six digits, in any order of the fields.
 *
 * <pre>
 *   8=FIX.4.2|9=127|35=D|34=123456|49=INI|52=20261124-09:30:00.123|56=ACC|
 *   11=00012345|21=1|38=100|40=2|44=123.45|54=1|55=MSFT|60=20261124-09:30:00|10=123|
 * </pre>
 */
final class Order {
  /** Length of an order whose MsgSeqNum(34) has {@link #SEQUENCE_DIGITS} digits. */
  static final int WIRE_BYTES = 150;
  static final int SEQUENCE_DIGITS = 6;

  static final String BEGIN_STRING = "FIX.4.2";
  /** CompID of the session that connects and sends orders. */
  static final String INITIATOR = "INI";
  /** CompID of the session that listens and echoes. */
  static final String ACCEPTOR = "ACC";
  static final String SYMBOL = "MSFT";
  static final int QUANTITY = 100;
  /** The price in hundredths. */
  static final int PRICE_HUNDREDTHS = 12_345;
  static final String PRICE = "123.45";
  static final String TRANSACT_TIME = "20261124-09:30:00";

  static final int CL_ORD_ID = 11;
  static final int HANDL_INST = 21;
  static final int ORDER_QTY = 38;
  static final int ORD_TYPE = 40;
  static final int PRICE_TAG = 44;
  static final int SIDE = 54;
  static final int SYMBOL_TAG = 55;
  static final int TRANSACT_TIME_TAG = 60;

  /** Number of digits of ClOrdID(11), with zeros in front. */
  static final int CL_ORD_ID_DIGITS = 8;
  private static final long CL_ORD_IDS = 100_000_000;

  /** Bytes of BeginString, a BodyLength of three digits, and CheckSum. */
  private static final int AROUND_BODY_BYTES = "8=FIX.4.2|9=127|10=123|".length();

  private Order() {}

  /** Returns the number in the order's ClOrdID(11). Numbers repeat when the digits are used up. */
  static long idOf(long number) {
    return number % CL_ORD_IDS;
  }

  /** Writes the ClOrdID(11) of an order into an array of {@link #CL_ORD_ID_DIGITS} bytes. */
  static void writeId(long number, byte[] digits) {
    long rest = idOf(number);
    for (int i = CL_ORD_ID_DIGITS - 1; i >= 0; i--) {
      digits[i] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
  }

  /** Returns the ClOrdID(11) of an order, for engines that take text. */
  static String id(long number) {
    byte[] digits = new byte[CL_ORD_ID_DIGITS];
    writeId(number, digits);
    return new String(digits, StandardCharsets.US_ASCII);
  }

  /**
   * Returns the length that an order of this BodyLength(9) and MsgSeqNum(34) would have if MsgSeqNum had six digits.
   */
  static int wireBytes(int bodyLength, long msgSeqNum) {
    return AROUND_BODY_BYTES + bodyLength + SEQUENCE_DIGITS - Long.toString(msgSeqNum).length();
  }

  /** Returns the whole order in a direct buffer, for a socket without an engine. */
  static ByteBuffer bytes(long number, long msgSeqNum) {
    String body = "35=D|34=" + msgSeqNum + "|49=" + INITIATOR + "|52=20261124-09:30:00.123|56=" + ACCEPTOR + "|11="
        + id(number) + "|21=1|38=" + QUANTITY + "|40=2|44=" + PRICE + "|54=1|55=" + SYMBOL + "|60=" + TRANSACT_TIME
        + "|";
    String text = ("8=" + BEGIN_STRING + "|9=" + body.length() + "|" + body).replace('|', '\u0001');
    int sum = text.chars().sum() % 256;
    byte[] whole = (text + "10=" + Integer.toString(1000 + sum).substring(1) + "\u0001")
        .getBytes(StandardCharsets.US_ASCII);
    return ByteBuffer.allocateDirect(whole.length).put(whole).flip();
  }
}
