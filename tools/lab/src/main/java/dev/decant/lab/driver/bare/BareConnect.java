package dev.decant.lab.driver.bare;

import dev.decant.lab.driver.Connect;
import dev.decant.lab.driver.WorkSpec;
import dev.decant.lab.driver.WorkType;
import java.io.IOException;

/** A bare connection whose broker has said which broker leads the topic: the least that {@link Connect} can open. */
final class BareConnect implements Connect.Opened {
  private final BareSocket socket;

  /** The work {@code bare-connect}. */
  public static final class Type extends WorkType {
    /** Made by {@link java.util.ServiceLoader}. */
    public Type() {
      super("bare-connect", "from before a connection is made until the broker has said which broker leads the topic",
          Topic.EMPTY, spec -> new Connect(spec, () -> new BareConnect(spec)), Trait.BARE, Trait.ONE_LEADER);
    }
  }

  BareConnect(WorkSpec spec) throws IOException {
    socket = new BareSocket(BareSocket.anyBroker(spec), BareSocket.tls(spec),
        BareMessages.mostMetadataBytes(spec.partitions()));
    try {
      var unused = BareMessages.leader(socket.exchange(BareMessages.metadata(spec.topic())), spec.partitions());
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  @Override
  public long connections() {
    return 1;
  }

  @Override
  public void close() {
    socket.close();
  }
}
