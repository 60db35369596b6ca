package dev.decant.fix.message;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Reading and writing messages allocate nothing once they are warm. */
@Tag("allocation")
@Timeout(60)
class MessageAllocationTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final int ROUNDS = 500;
  private static final int WARM_UP_RUNS = 80;
  private static final int MEASURED_RUNS = 40;
  private static final String GROUPS = "35=8|34=7|49=B|52=20261124-09:30:00.123456|56=A|43=N|6=-0.125|453=2|448=P|"
      + "452=1|802=2|523=X|803=1|523=Y|803=2|448=Q|452=3|54=1|58=text|75=20261124|273=09:30:00.5|95=3|96=a|b|";

  private final byte[] bytes = TestMessages.message(GROUPS);
  private final ByteBuffer message = ByteBuffer.allocateDirect(bytes.length).put(0, bytes);
  private final ByteBuffer target = ByteBuffer.allocateDirect(1_024);
  private final MessageView view = new MessageView();
  private final GroupView parties = new GroupView();
  private final GroupView subParties = new GroupView(tag -> tag == 523 || tag == 803);
  private final Decimal decimal = new Decimal();
  private final AsciiView text = new AsciiView();
  private final byte[] copy = new byte[64];
  private final FieldWriter writer = new FieldWriter();
  private long sum;

  /** The fewest bytes that {@link #ROUNDS} calls allocated on this thread. */
  private static long bytesPerRun(Runnable call) {
    long least = Long.MAX_VALUE;
    for (int run = 0; run < WARM_UP_RUNS + MEASURED_RUNS; run++) {
      long before = THREADS.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < ROUNDS; i++) {
        call.run();
      }
      long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
      least = run < WARM_UP_RUNS ? least : Math.min(least, allocated);
    }
    return least;
  }

  private void parse() {
    if (view.parse(message, 0, bytes.length, true) != MessageView.OK) {
      throw new AssertionError("the message is not taken");
    }
  }

  @Test
  void parsingAndReadingAllocateNothing() {
    assertThat(bytesPerRun(() -> {
      parse();
      sum += view.msgTypeKey() + view.integer(34) + view.integer(999, 1) + view.timestamp(52) + view.date(75)
          + view.time(273)
          + view.decimal(6, decimal).mantissa() + view.character(54) + view.text(58, text).length()
          + view.copy(96, copy)
          + view.find(10) + view.findInHeader(49) + view.findNext(448, view.find(448));
      if (view.flag(43, true) || !view.contentEquals(56, "A") || !text.contentEquals("text") || view.has(999)) {
        throw new AssertionError("the fields are others");
      }
    })).isZero();
  }

  @Test
  void goingThroughGroupsAllocatesNothing() {
    parse();
    assertThat(bytesPerRun(() -> {
      view.group(453, parties);
      int entries = 0;
      while (parties.next()) {
        sum += parties.integer(452) + parties.character(448);
        parties.group(802, subParties);
        while (subParties.next()) {
          sum += subParties.integer(803) + subParties.text(523, text).charAt(0);
          entries++;
        }
      }
      if (entries != 2) {
        throw new AssertionError(entries + " entries");
      }
    })).isZero();
  }

  @Test
  void writingAllocatesNothing() {
    parse();
    assertThat(bytesPerRun(() -> {
      writer.wrap(target, 0, target.capacity()).integer(34, sum++).integer(9, sum & 0xFFFF, 6).decimal(44, sum, -2)
          .decimal(6, decimal).character(54, '1').flag(43, true).text(55, "EUR/USD").text(58, view.text(58, text))
          .bytes(11, message, 0, 5).data(95, 96, message, 0, 20).timestamp(52, sum * 1_000_000_000L, 3).date(75, 20_000)
          .time(273, sum, 9).copy(view, 5).copy(view, view.bodyFirst(), view.bodyEnd());
      sum += CheckSum.of(target, 0, writer.position());
    })).isZero();
  }

  @Test
  void patchingAndCopyingPreparedFieldsAllocatesNothing() {
    writer.wrap(target, 0, target.capacity()).text(11, "ORDER").integer(38, 0, 18).text(44, "00000000000000000000.00")
        .character(54, '1').timestamp(60, 0, 6);
    PreparedFields fields = PreparedFields.copyOf(writer);
    int id = fields.slot(11);
    int quantity = fields.slot(38);
    int price = fields.slot(44);
    int side = fields.slot(54);
    int time = fields.slot(60);
    assertThat(bytesPerRun(() -> {
      fields.text(id, "OTHER").integer(quantity, sum++).decimal(price, sum, -2).character(side, '2')
          .timestamp(time, sum * 1_000_000_000L);
      fields.copyTo(writer.wrap(target, 0, target.capacity()));
    })).isZero();
  }
}
