package dev.decant.fix.store;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** The process that {@link KilledStoreTest} kills. It appends for ever, and reports each accepted change. */
final class KilledProcess {
  static final int TOLD_BYTES = 9;
  static final byte OUTBOUND = 'o';
  static final byte INBOUND = 'i';
  private static final int SEGMENT = 64 * 1024;
  private static final int MAX_BODY = 600;

  private KilledProcess() {}

  /** Opens the store of either process. */
  static MessageStore open(String kind, boolean isForced, Path folder) throws IOException {
    FileStores.Builder files = FileStores.builder(folder).segmentBytes(SEGMENT).keepInbound(true);
    if (isForced) {
      files.forceEveryMessage();
    }
    MessageStoreFactory stores = kind.equals(StoreKind.ASYNC.name()) ? StoreKind.async(files) : files.build();
    return stores.open(StoredMessages.SESSION, StoredMessages.BEGUN);
  }

  /** The bytes of a message follow from its number. */
  static String body(long number) {
    int length = (int) (number * 7919 % MAX_BODY);
    StringBuilder body = new StringBuilder(length);
    for (int i = 0; i < length; i++) {
      body.append((char) ('0' + (number * 31 + i * 17L) % 64));
    }
    return body.toString();
  }

  /**
   * Runs until it is killed.
   *
   * @param args the kind of store, whether it forces, its folder
   */
  public static void main(String[] args) throws IOException {
    try (MessageStore store = open(args[0], Boolean.parseBoolean(args[1]), Path.of(args[2]));
        OutputStream pipe = new FileOutputStream(FileDescriptor.out)) {
      while (true) {
        long number = store.nextOutbound();
        String body = body(number);
        require(store, store.appendOutbound(number, number, StoredMessages.bytes(body), 0, body.length()));
        tell(pipe, OUTBOUND, number);
        if (number % 3 == 0) {
          long arrived = store.nextInbound();
          String text = body(arrived);
          require(store, store.appendInbound(arrived, arrived, StoredMessages.bytes(text), 0, text.length()));
          tell(pipe, INBOUND, arrived);
        }
        if (number % 5 == 0) {
          require(store, store.commit());
        }
      }
    }
  }

  private static void require(MessageStore store, boolean isAccepted) throws IOException {
    if (!isAccepted) {
      throw new IOException("refused", store.failure());
    }
  }

  private static void tell(OutputStream pipe, byte kind, long number) throws IOException {
    pipe.write(ByteBuffer.allocate(TOLD_BYTES).put(kind).putLong(number).array());
  }
}
