package dev.decant.jmh;

import dev.decant.fix.dictionary.Dictionary;
import dev.decant.fix.dictionary.MessageValidator;
import dev.decant.fix.dictionary.ValidationSettings;
import dev.decant.fix.message.CheckSum;
import dev.decant.fix.message.Decimal;
import dev.decant.fix.message.FieldWriter;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.PreparedFields;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What it costs to read, validate and write a NewOrderSingle of 18 fields, without a session; all figures per message.
 * Run as {@link BufferAccessBenchmark} says. {@link Validation} wants a dictionary in QuickFIX's format:
 * {@code -jvmArgsAppend -Ddictionary=FIX44.xml}.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
public class FixMessageBenchmark {
  private static final int CAPACITY = 1_024;
  private static final long TIME = 1_795_512_600_123_000_000L;
  private static final long MICROSECOND = 1_000;

  private final ByteBuffer order = order();
  private final ByteBuffer target = ByteBuffer.allocateDirect(CAPACITY);
  private final MessageView view = new MessageView();
  private final Decimal decimal = new Decimal();
  private final FieldWriter writer = new FieldWriter();
  private PreparedFields prepared = PreparedFields.copyOf(writer);
  private int idSlot;
  private int quantitySlot;
  private int priceSlot;
  private int timeSlot;
  private long count;

  /** Creates the benchmark's state. */
  public FixMessageBenchmark() {}

  /** A received message, with a dictionary to compare it with. */
  @State(Scope.Thread)
  public static class Validation {
    private final MessageView message = new MessageView();
    private final MessageValidator validator = new MessageValidator(
        Dictionary.load(Path.of(System.getProperty("dictionary", "FIX44.xml"))), ValidationSettings.defaults());

    /** Loads the dictionary. */
    public Validation() {}

    /** Parses the message. */
    @Setup
    public void parse() {
      ByteBuffer bytes = order();
      message.parse(bytes, 0, bytes.capacity(), true);
      int result = validator.validate(message);
      if (result != MessageValidator.VALID) {
        throw new IllegalStateException("reason " + result + " for field " + validator.failingTag());
      }
    }
  }

  private static ByteBuffer order() {
    byte[] body = ascii("35=D|34=123456|49=BUYSIDE|52=20261124-09:30:00.123|56=SELLSIDE|11=ORD-000001|21=1|38=1000|"
        + "40=2|44=101.25|54=1|55=EUR/USD|59=0|60=20261124-09:30:00.123|");
    byte[] start = ascii("8=FIX.4.4|9=" + body.length + "|");
    ByteBuffer message = ByteBuffer.allocateDirect(start.length + body.length + 7);
    message.put(start).put(body);
    return message.put(ascii("10=%03d|".formatted(CheckSum.of(message, 0, message.position()))));
  }

  private static byte[] ascii(String text) {
    return text.replace('|', '\u0001').getBytes(StandardCharsets.US_ASCII);
  }

  /** Encodes the body that is patched. */
  @Setup
  public void prepare() {
    writeOrder();
    prepared = PreparedFields.copyOf(writer);
    idSlot = prepared.slot(11);
    quantitySlot = prepared.slot(38);
    priceSlot = prepared.slot(44);
    timeSlot = prepared.slot(60);
  }

  private int writeOrder() {
    return writer.wrap(target, 0, CAPACITY).text(11, "ORD-000001").character(21, '1').integer(38, 1_000)
        .character(40, '2').decimal(44, 10_125, -2).character(54, '1').text(55, "EUR/USD").character(59, '0')
        .timestamp(60, TIME + count++ * MICROSECOND, 3).position();
  }

  /**
   * Finds the fields of a message, checks its checksum, and reads six of the fields.
   *
   * @return a sum of values
   */
  @Benchmark
  public long parseAndRead() {
    if (view.parse(order, 0, order.capacity(), true) != MessageView.OK) {
      throw new IllegalStateException("the message is not well-formed");
    }
    return view.msgTypeKey() + view.integer(34) + view.integer(38) + view.decimal(44, decimal).mantissa()
        + view.character(54) + view.timestamp(60);
  }

  /**
   * Compares a message that is parsed with FIX.4.4.
   *
   * @param received the message
   * @return the result
   */
  @Benchmark
  public int validate(Validation received) {
    return received.validator.validate(received.message);
  }

  /**
   * Writes the nine fields of an order's body.
   *
   * @return the index after the last
   */
  @Benchmark
  public int write() {
    return writeOrder();
  }

  /**
   * Patches four of nine prepared fields, and copies all.
   *
   * @return the index after the last
   */
  @Benchmark
  public int patchAndCopy() {
    prepared.text(idSlot, "ORD-000002").integer(quantitySlot, count & 0xFF).decimal(priceSlot, 10_000 + count % 100, -2)
        .timestamp(timeSlot, TIME + count++ * MICROSECOND);
    prepared.copyTo(writer.wrap(target, 0, CAPACITY));
    return writer.position();
  }
}
