package dev.decant.contrib.jlbh;

import com.paritytrading.philadelphia.FIXConfig;
import com.paritytrading.philadelphia.FIXConnection;
import com.paritytrading.philadelphia.FIXConnectionStatusListener;
import com.paritytrading.philadelphia.FIXMessage;
import com.paritytrading.philadelphia.FIXMessageListener;
import com.paritytrading.philadelphia.FIXVersion;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/**
 * Two connections of Philadelphia, which keeps and validates no messages. A thread for each reads with blocking calls,
 * and the caller's thread writes orders. Messages are used again, as the library intends.
 */
final class PhiladelphiaSide implements Side {
  /** More than its default, so that messages that come together are read together. */
  private static final int READ_BYTES = 64 * 1024;

  private final CountDownLatch loggedOn = new CountDownLatch(1);
  private final SocketChannel buyerSocket;
  private final SocketChannel venueSocket;
  private final FIXConnection buyer;
  private final FIXConnection venue;
  private final FIXMessage order;
  private final FIXMessage report;
  /** Executions so far. The acceptor's thread only. */
  private long executions;

  PhiladelphiaSide(LongConsumer filled) throws IOException, InterruptedException {
    try (ServerSocketChannel listening = ServerSocketChannel.open()) {
      listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      buyerSocket = SocketChannel.open(listening.getLocalAddress());
      venueSocket = listening.accept();
    }
    buyerSocket.setOption(StandardSocketOptions.TCP_NODELAY, true);
    venueSocket.setOption(StandardSocketOptions.TCP_NODELAY, true);
    buyer = connection(buyerSocket, BUYER, VENUE, message -> filled.accept(message.valueOf(CL_ORD_ID).asInt()));
    venue = connection(venueSocket, VENUE, BUYER, this::fill);
    order = order();
    report = report();
    read("venue", venue);
    read("buyer", buyer);
    buyer.sendLogon(false);
    if (!loggedOn.await(30, TimeUnit.SECONDS)) {
      throw new IllegalStateException("no logon within 30 s");
    }
  }

  private FIXConnection connection(SocketChannel socket, String sender, String target, FIXMessageListener listener) {
    FIXConfig config = FIXConfig.newBuilder().setVersion(FIXVersion.FIX_4_2).setSenderCompID(sender)
        .setTargetCompID(target).setHeartBtInt(HEARTBEAT_SECONDS).setRxBufferCapacity(READ_BYTES).build();
    return new FIXConnection(socket, config, listener, new Status(), System.currentTimeMillis());
  }

  private static void read(String name, FIXConnection connection) {
    Thread.ofPlatform().name(name).daemon(true).start(() -> {
      try {
        while (connection.receive() >= 0) {
          // receive() has called the listener for each message
        }
      } catch (IOException e) {
        // close() ends the run
      }
    });
  }

  private FIXMessage order() {
    FIXMessage message = buyer.create();
    buyer.prepare(message, 'D');
    message.addField(CL_ORD_ID).setInt(0);
    message.addField(HANDL_INST).setChar('1');
    message.addField(SYMBOL_TAG).setString(SYMBOL);
    message.addField(SIDE).setChar('1');
    message.addField(TRANSACT_TIME_TAG).setString(TRANSACT_TIME);
    message.addField(ORDER_QTY).setInt(QUANTITY);
    message.addField(ORD_TYPE).setChar('2');
    message.addField(PRICE).setFloat(PRICE_HUNDREDTHS / 100.0, 2);
    return message;
  }

  private FIXMessage report() {
    FIXMessage message = venue.create();
    venue.prepare(message, '8');
    message.addField(ORDER_ID).setInt(0);
    message.addField(CL_ORD_ID).setInt(0);
    message.addField(EXEC_ID).setInt(0);
    message.addField(EXEC_TRANS_TYPE).setChar('0');
    message.addField(EXEC_TYPE).setChar('2');
    message.addField(ORD_STATUS).setChar('2');
    message.addField(SYMBOL_TAG).setString(SYMBOL);
    message.addField(SIDE).setChar('1');
    message.addField(LEAVES_QTY).setInt(0);
    message.addField(CUM_QTY).setInt(0);
    message.addField(AVG_PX).setFloat(PRICE_HUNDREDTHS / 100.0, 2);
    return message;
  }

  /** Sets the time that a connection's messages have, if it has changed. */
  private static void tick(FIXConnection connection) {
    long now = System.currentTimeMillis();
    if (now != connection.getCurrentTimeMillis()) {
      connection.setCurrentTimeMillis(now);
    }
  }

  @Override
  public void send(long dueNanos) throws IOException {
    tick(buyer);
    buyer.update(order);
    order.valueOf(CL_ORD_ID).setInt(dueNanos);
    buyer.send(order);
  }

  private void fill(FIXMessage message) throws IOException {
    executions++;
    tick(venue);
    venue.update(report);
    report.valueOf(ORDER_ID).setInt(executions);
    report.valueOf(CL_ORD_ID).set(message.valueOf(CL_ORD_ID));
    report.valueOf(EXEC_ID).setInt(executions);
    report.valueOf(SYMBOL_TAG).set(message.valueOf(SYMBOL_TAG));
    report.valueOf(SIDE).set(message.valueOf(SIDE));
    report.valueOf(CUM_QTY).set(message.valueOf(ORDER_QTY));
    venue.send(report);
  }

  @Override
  public void close() throws IOException {
    buyerSocket.close();
    venueSocket.close();
  }

  /** Responds to the Logon; all else that is not a message of the application ends the run. */
  private final class Status implements FIXConnectionStatusListener {
    @Override
    public void close(FIXConnection connection, String message) {
      throw new IllegalStateException(message);
    }

    @Override
    public void sequenceReset(FIXConnection connection) {
      throw new IllegalStateException("SequenceReset");
    }

    @Override
    public void tooLowMsgSeqNum(FIXConnection connection, long received, long expected) {
      throw new IllegalStateException("MsgSeqNum " + received + " instead of " + expected);
    }

    @Override
    public void reject(FIXConnection connection, FIXMessage message) {
      throw new IllegalStateException("Reject: " + message);
    }

    @Override
    public void logon(FIXConnection connection, FIXMessage message) throws IOException {
      if (connection.getSenderCompID().equals(VENUE)) {
        connection.sendLogon(false);
      } else {
        loggedOn.countDown();
      }
    }

    @Override
    public void logout(FIXConnection connection, FIXMessage message) {
      throw new IllegalStateException("Logout");
    }
  }
}
