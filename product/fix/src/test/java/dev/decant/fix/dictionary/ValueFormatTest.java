package dev.decant.fix.dictionary;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ValueFormatTest {
  private static final List<String> TYPES = List.of(ValueFormat.types().split(", ", -1));

  private static boolean matches(String type, String value) {
    byte[] bytes = ("<" + value + ">").getBytes(StandardCharsets.ISO_8859_1);
    ValueFormat format = Objects.requireNonNull(ValueFormat.of(type), type);
    return format.matches(ByteBuffer.wrap(bytes), 1, bytes.length - 1);
  }

  @ParameterizedTest
  @CsvSource(delimiter = ';', ignoreLeadingAndTrailingWhitespace = false, value = {
      "INT;0,1,-1,007,-007,123456789012345678,0000000000000000000000001",
      "NUMINGROUP;0,2,-1",
      "LENGTH;0,23", "SEQNUM;0,4000000000", "TAGNUM;58",
      "FLOAT;0,1,-1,23.23,-23.0,.5,5.,-.5,00023.2300,123456789012345678901234567890.1",
      "PRICE;10.25", "PRICEOFFSET;-0.5", "QTY;002000.00", "AMT;1", "PERCENTAGE;0.05",
      "CHAR;A, ,~", "BOOLEAN;Y,N",
      "STRING;A,any thing at all", "DATA;x", "XMLDATA;<a/>", "CURRENCY;USD,USDT", "EXCHANGE;XNAS,N", "XID;a",
      "MULTIPLECHARVALUE;A,A B,1 2 3", "MULTIPLEVALUESTRING;A,AB CD", "MULTIPLESTRINGVALUE;WT NRL",
      "UTCTIMESTAMP;20240229-00:00:00,20240229-23:59:59.1,20240229-23:59:60.123,20240229-12:00:00.123456789012",
      "TIME;20240229-12:30:45", "UTCTIMEONLY;12:30:45,12:30:45.123456", "LOCALMKTTIME;12:30:45",
      "UTCDATEONLY;20240229,20000229,99991231,00010101", "UTCDATE;20230228", "DATE;20231231", "LOCALMKTDATE;20230131",
      "MONTHYEAR;202402,20240229,202402w1,202402w5", "DAYOFMONTH;1,01,31",
      "TZTIMEONLY;07:39,07:39Z,07:39:12,07:39:12-05,07:39:12.123+05:30",
      "TZTIMESTAMP;20060901-07:39Z,20060901-02:39:01-05,20060901-15:39:01.999+08:00",
      "COUNTRY;DE", "LANGUAGE;en"})
  void takesValuesOfTheType(String type, String values) {
    for (String value : values.split(",", -1)) {
      assertThat(matches(type, value)).as("%s '%s'", type, value).isTrue();
    }
  }

  @ParameterizedTest
  @CsvSource(delimiter = ';', ignoreLeadingAndTrailingWhitespace = false, value = {
      "INT;-,+1,1.0,1a, 1,1 ,0x1,1234567890123456789,--1", "NUMINGROUP;one",
      "LENGTH;-1,+1,x", "SEQNUM;-1,-0,1.5", "TAGNUM;-58",
      "FLOAT;+200.00,-,.,-.,1.2.3,1e5,NaN,1 000,1'000,--1", "PRICE;10-,Infinity",
      "CHAR;AB", "BOOLEAN;y,n,1,YES,T",
      "MULTIPLECHARVALUE;AB,A  B, A,A ,A BC,A B ", "MULTIPLEVALUESTRING; A,A ,A  B, ",
      "UTCTIMESTAMP;20240229,20240229-,20240229 12:00:00,20230229-12:00:00,20240229-24:00:00,20240229-12:60:00"
          + ",20240229-12:00:61,20240229-12:00,20240229-12:00:00.,20240229-12:00:00.1234567890123"
          + ",20240229-12:00:00.12x,20240229-12:00:00Z,2024O229-12:00:00,20240029-12:00:00,-0240229-12:00:00",
      "UTCTIMEONLY;12:30,12-30-45,1:30:45,12:30:45.,24:00:00",
      "UTCDATEONLY;2024022,202402290,20230229,19000229,20241301,20240100,20240132,2024-2-9", "LOCALMKTDATE;20230631",
      "MONTHYEAR;2024,202413,202400,20240230,202402w0,202402w6,202413w1,202402ww", "DAYOFMONTH;0,32,-1,001,x",
      "TZTIMEONLY;7:39,07:39X,07:39:,07:39:1,07:39+5,07:39+05:,07:39+05:60,07:39Z0,07:39:12.+05,25:00",
      "TZTIMESTAMP;20060901,20060901-,07:39Z,20061301-07:39Z",
      "COUNTRY;D,DEU", "LANGUAGE;english"})
  void refusesOtherValues(String type, String values) {
    for (String value : values.split(",", -1)) {
      assertThat(matches(type, value)).as("%s '%s'", type, value).isFalse();
    }
  }

  @Test
  void knowsTypesInQuickFixsSpelling() {
    assertThat(TYPES).hasSizeGreaterThan(35).allSatisfy(type -> assertThat(ValueFormat.of(type)).isNotNull());
    assertThat(ValueFormat.of("WORD")).isNull();
    assertThat(ValueFormat.normal("Month-Year")).isEqualTo("MONTHYEAR");
  }

  @Test
  void surviveAnyBytesOfAnyLength() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    String likely = "0123456789-+:.wYNZ ";
    for (int run = 0; run < 200_000; run++) {
      byte[] bytes = new byte[1 + random.nextInt(30)];
      for (int i = 0; i < bytes.length; i++) {
        bytes[i] = (byte) (random.nextInt(10) == 0
            ? random.nextInt(256)
            : likely.charAt(random.nextInt(likely.length())));
      }
      ByteBuffer exact = ByteBuffer.wrap(bytes);
      for (ValueFormat format : ValueFormat.values()) {
        try {
          format.matches(exact, 0, bytes.length);
        } catch (IndexOutOfBoundsException e) {
          throw new AssertionError("seed " + seed + ": " + format + " reads outside of '"
              + new String(bytes, StandardCharsets.ISO_8859_1) + "'", e);
        }
      }
    }
  }
}
