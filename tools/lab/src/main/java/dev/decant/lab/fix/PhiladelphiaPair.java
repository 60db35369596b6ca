package dev.decant.lab.fix;

import com.paritytrading.philadelphia.FIXConfig;
import com.paritytrading.philadelphia.FIXConnection;
import com.paritytrading.philadelphia.FIXConnectionStatusListener;
import com.paritytrading.philadelphia.FIXMessage;
import com.paritytrading.philadelphia.FIXMessageListener;
import com.paritytrading.philadelphia.FIXVersion;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.SocketChannel;

/**
 * Two connections of Philadelphia, one on the measuring thread and one on its own thread. Messages are reused, as the
 * library intends. The library leaves timers to the application, which serves them whenever the clock has moved on by a
 * millisecond.
 */
final class PhiladelphiaPair implements FixContender {
  private static final int CHECK_SUM = 10;
  /** Size of the receive buffer: larger than the default, so that one read takes all messages that have arrived. */
  private static final int READ_BYTES = 64 * 1024;
  /** The fields of the body, in the order in which the message has them. */
  private static final int[] BODY = {Order.CL_ORD_ID, Order.HANDL_INST, Order.ORDER_QTY, Order.ORD_TYPE,
      Order.PRICE_TAG, Order.SIDE, Order.SYMBOL_TAG, Order.TRANSACT_TIME_TAG};

  private final Loopback sockets;
  private final Arrivals arrivals;
  private final boolean echoing;
  private final FIXConnection initiator;
  private final FIXConnection acceptor;
  private final FIXMessage order;
  private final FIXMessage echo;
  private final IdText id = new IdText();
  // Written by the acceptor's thread at the first order, read after that order has arrived.
  private int wireBytes;
  private boolean loggedOn;

  PhiladelphiaPair(FixSpec spec, Arrivals arrivals) throws IOException {
    this.arrivals = arrivals;
    sockets = Loopback.open(!spec.spinning());
    echoing = spec.work().isEchoed();
    initiator = connection(sockets.initiator(), Order.INITIATOR, Order.ACCEPTOR, spec, this::onEcho);
    acceptor = connection(sockets.acceptor(), Order.ACCEPTOR, Order.INITIATOR, spec, this::onOrder);
    order = prepared(initiator);
    echo = prepared(acceptor);
    Thread.ofPlatform().name("philadelphia-acceptor").daemon(true).start(this::accept);
    tick(initiator);
    initiator.sendLogon(false);
    while (!loggedOn) {
      receive(initiator);
    }
  }

  private FIXConnection connection(SocketChannel channel, String sender, String target, FixSpec spec,
      FIXMessageListener listener) {
    FIXConfig config = FIXConfig.newBuilder().setVersion(FIXVersion.FIX_4_2).setSenderCompID(sender)
        .setTargetCompID(target).setHeartBtInt(spec.session().heartbeatSeconds())
        .setRxBufferCapacity(READ_BYTES).build();
    return new FIXConnection(channel, config, listener, new Status(sender.equals(Order.ACCEPTOR)),
        System.currentTimeMillis());
  }

  private static FIXMessage prepared(FIXConnection connection) {
    FIXMessage message = connection.create();
    connection.prepare(message, 'D');
    message.addField(Order.CL_ORD_ID).setString(Order.id(0));
    message.addField(Order.HANDL_INST).setChar('1');
    message.addField(Order.ORDER_QTY).setInt(Order.QUANTITY);
    message.addField(Order.ORD_TYPE).setChar('2');
    message.addField(Order.PRICE_TAG).setFloat(Order.PRICE_HUNDREDTHS / 100.0, 2);
    message.addField(Order.SIDE).setChar('1');
    message.addField(Order.SYMBOL_TAG).setString(Order.SYMBOL);
    message.addField(Order.TRANSACT_TIME_TAG).setString(Order.TRANSACT_TIME);
    return message;
  }

  private void accept() {
    try {
      while (true) {
        receive(acceptor);
        tick(acceptor);
      }
    } catch (IOException | RuntimeException e) {
      arrivals.failed(e); // close() gets here too; it ends a run
    }
  }

  private static void receive(FIXConnection connection) throws IOException {
    if (connection.receive() < 0) {
      throw new EOFException("the other end has closed the connection");
    }
  }

  /** Sets the time of a connection's messages and timers, if the clock has moved on. */
  private static void tick(FIXConnection connection) throws IOException {
    long now = System.currentTimeMillis();
    if (now != connection.getCurrentTimeMillis()) {
      connection.setCurrentTimeMillis(now);
      connection.keepAlive();
    }
  }

  private void onOrder(FIXMessage message) throws IOException {
    if (wireBytes == 0) {
      wireBytes = Order.wireBytes(bodyLength(message), message.getMsgSeqNum());
    }
    if (!echoing) {
      arrivals.arrived(message.valueOf(Order.CL_ORD_ID).asInt());
      return;
    }
    tick(acceptor);
    acceptor.update(echo);
    for (int tag : BODY) {
      echo.valueOf(tag).set(message.valueOf(tag));
    }
    acceptor.send(echo);
  }

  /** Computes BodyLength(9), which Philadelphia does not keep. */
  private static int bodyLength(FIXMessage message) {
    int bytes = 0;
    for (int i = 0; i < message.getFieldCount(); i++) {
      int tag = message.tagAt(i);
      bytes += tag == CHECK_SUM ? 0 : Integer.toString(tag).length() + message.valueAt(i).length() + "=|".length();
    }
    return bytes;
  }

  private void onEcho(FIXMessage message) {
    arrivals.arrived(message.valueOf(Order.CL_ORD_ID).asInt());
  }

  @Override
  public void send(long number) throws IOException {
    Order.writeId(number, id.digits);
    tick(initiator);
    initiator.update(order);
    order.valueOf(Order.CL_ORD_ID).setString(id);
    initiator.send(order);
  }

  @Override
  public void awaitArrived(long count) throws IOException, InterruptedException {
    if (!echoing) {
      arrivals.await(count);
      return;
    }
    while (arrivals.count() < count) {
      receive(initiator);
    }
  }

  @Override
  public void awaitTime(long nanos) throws InterruptedException {
    Waits.until(nanos, arrivals);
  }

  /** Returns the number of messages with sequence numbers that are no orders. */
  @Override
  public long administrativeMessages() {
    long numbered = initiator.getOutMsgSeqNum() - 1 + acceptor.getOutMsgSeqNum() - 1;
    return numbered - arrivals.count() * (echoing ? 2 : 1);
  }

  @Override
  public int wireBytes() {
    return wireBytes;
  }

  @Override
  public void close() throws IOException {
    sockets.close();
  }

  /** Digits as text, without a String. */
  private static final class IdText implements CharSequence {
    private final byte[] digits = new byte[Order.CL_ORD_ID_DIGITS];

    @Override
    public int length() {
      return digits.length;
    }

    @Override
    public char charAt(int index) {
      return (char) digits[index];
    }

    @Override
    public CharSequence subSequence(int start, int end) {
      throw new UnsupportedOperationException("the whole is written");
    }
  }

  /** Accepts a Logon; any other event ends the run. */
  private final class Status implements FIXConnectionStatusListener {
    private final boolean accepting;

    Status(boolean accepting) {
      this.accepting = accepting;
    }

    @Override
    public void close(FIXConnection connection, String message) {
      arrivals.failed(new IOException(message));
    }

    @Override
    public void sequenceReset(FIXConnection connection) {
      arrivals.failed(new IOException("SequenceReset"));
    }

    @Override
    public void tooLowMsgSeqNum(FIXConnection connection, long receivedMsgSeqNum, long expectedMsgSeqNum) {
      arrivals.failed(new IOException("MsgSeqNum " + receivedMsgSeqNum + " instead of " + expectedMsgSeqNum));
    }

    @Override
    public void reject(FIXConnection connection, FIXMessage message) {
      arrivals.failed(new IOException("Reject: " + message));
    }

    @Override
    public void logon(FIXConnection connection, FIXMessage message) throws IOException {
      if (accepting) {
        connection.sendLogon(false);
      } else {
        loggedOn = true;
      }
    }

    @Override
    public void logout(FIXConnection connection, FIXMessage message) {
      arrivals.failed(new IOException("Logout"));
    }
  }
}
