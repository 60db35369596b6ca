package dev.decant.fix.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;

/** The data fields and the header that are built in, against the dictionaries of another engine. */
class DataFieldsTest {
  private static Element dictionary(String name) throws IOException, ParserConfigurationException, SAXException {
    try (InputStream in = DataFieldsTest.class.getResourceAsStream("/" + name + ".xml")) {
      return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(Objects.requireNonNull(in, name))
          .getDocumentElement();
    }
  }

  private static Element child(Element parent, String name) {
    return (Element) parent.getElementsByTagName(name).item(parent.getElementsByTagName(name).getLength() - 1);
  }

  private static Map<String, Element> fields(Element dictionary) {
    Map<String, Element> fields = new HashMap<>();
    for (Node node = child(dictionary, "fields").getFirstChild(); node != null; node = node.getNextSibling()) {
      if (node instanceof Element field) {
        fields.put(field.getAttribute("name"), field);
      }
    }
    return fields;
  }

  private static int tag(Element field) {
    return Integer.parseInt(field.getAttribute("number"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"FIX40", "FIX41", "FIX42", "FIX43", "FIX44", "FIX50", "FIX50SP1", "FIX50SP2", "FIXLatest"})
  void dataFieldsOfEachVersionAreKnown(String version) throws Exception {
    Map<String, Element> fields = fields(dictionary(version));
    Map<Integer, Integer> expected = new TreeMap<>();
    fields.forEach((name, field) -> {
      Element length = fields.getOrDefault(name + "Length", fields.get(name + "Len"));
      if (field.getAttribute("type").endsWith("DATA") && length != null) {
        expected.put(tag(length), tag(field));
      }
    });
    assertThat(expected).isNotEmpty();
    Map<Integer, Integer> actual = new TreeMap<>();
    fields.values().forEach(field -> {
      int data = DataFields.standard().dataTag(tag(field));
      if (data != 0) {
        actual.put(tag(field), data);
      }
    });
    actual.remove(2_797); // EncodedMatchExceptionText is misspelt in the dictionary
    assertThat(actual).isEqualTo(expected);
  }

  @Test
  void tagsOfTheHeaderAreThoseOfAllVersions() throws Exception {
    Set<Integer> expected = new TreeSet<>();
    for (String version : new String[] {"FIX40", "FIX41", "FIX42", "FIX43", "FIX44", "FIXT11"}) {
      Element dictionary = dictionary(version);
      Map<String, Element> fields = fields(dictionary);
      addTags(child(dictionary, "header"), fields, expected);
    }
    expected.addAll(Set.of(627, 628, 629, 630)); // NoHops is a component in some
    Set<Integer> actual = new TreeSet<>();
    for (int tag = -2_000; tag < 10_000; tag++) {
      if (StandardHeader.contains(tag)) {
        actual.add(tag);
      }
    }
    assertThat(actual).isEqualTo(expected);
    assertThat(StandardHeader.contains(Integer.MIN_VALUE)).isFalse();
    assertThat(StandardHeader.contains(Integer.MAX_VALUE)).isFalse();
    assertThat(StandardHeader.isTrailer(10)).isTrue();
    assertThat(StandardHeader.isTrailer(89)).isTrue();
    assertThat(StandardHeader.isTrailer(93)).isTrue();
    assertThat(StandardHeader.isTrailer(58)).isFalse();
  }

  private static void addTags(Element parent, Map<String, Element> fields, Set<Integer> tags) {
    for (Node node = parent.getFirstChild(); node != null; node = node.getNextSibling()) {
      if (node instanceof Element element) {
        Element field = fields.get(element.getAttribute("name"));
        if (field != null) {
          tags.add(tag(field));
        }
        addTags(element, fields, tags);
      }
    }
  }

  @Test
  void fieldsOfADictionaryReplaceOrExtendTheStandard() {
    DataFields own = DataFields.of(new int[][] {{5_001, 5_002}, {7, 8}, {5_001, 5_003}, {100_000, 9}});
    assertThat(own.dataTag(5_001)).isEqualTo(5_003);
    assertThat(own.dataTag(7)).isEqualTo(8);
    assertThat(own.dataTag(100_000)).isEqualTo(9);
    assertThat(own.dataTag(95)).isZero();
    for (int tag : new int[] {0, -1, Integer.MIN_VALUE, 5_000, 5_002, 99_999, 100_001, Integer.MAX_VALUE}) {
      assertThat(own.dataTag(tag)).isZero();
    }
    DataFields both = DataFields.standardWith(new int[][] {{5_001, 5_002}, {95, 97}});
    assertThat(both.dataTag(5_001)).isEqualTo(5_002);
    assertThat(both.dataTag(95)).isEqualTo(97);
    assertThat(both.dataTag(212)).isEqualTo(213);
    assertThat(DataFields.of(new int[0][]).dataTag(95)).isZero();
  }

  @Test
  void fieldsThatReplaceAllOthersAreNotCopied() {
    DataFields standard = DataFields.standard();
    DataFields venue = DataFields.standardWith(new int[][] {{5_001, 5_002}, {95, 97}, {100_000, 9}});
    assertThat(standard.with(venue)).isSameAs(venue);
    assertThat(standard.with(standard)).isSameAs(standard);
    DataFields back = venue.with(standard);
    assertThat(back.dataTag(95)).isEqualTo(96);
    assertThat(back.dataTag(5_001)).isEqualTo(5_002);
    assertThat(back.dataTag(100_000)).isEqualTo(9);
    DataFields own = DataFields.of(new int[][] {{95, 97}});
    assertThat(venue.with(own).dataTag(212)).isEqualTo(213);
  }

  @Test
  void pairsThatAreNoneAreRefused() {
    for (int[] pair : new int[][] {{}, {1}, {1, 2, 3}, {0, 1}, {1, 0}, {-1, 1}}) {
      assertThatThrownBy(() -> DataFields.of(new int[][] {pair})).isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void fieldsOfTwoDictionariesAreTakenTogether() {
    DataFields first = DataFields.of(new int[][] {{95, 96}, {5001, 5002}, {5003, 5004}});
    DataFields second = DataFields.of(new int[][] {{93, 89}, {5003, 5005}});

    DataFields both = first.with(second);

    assertThat(both.dataTag(95)).isEqualTo(96);
    assertThat(both.dataTag(93)).isEqualTo(89);
    assertThat(both.dataTag(5001)).isEqualTo(5002);
    assertThat(both.dataTag(5003)).as("the later one counts").isEqualTo(5005);
    assertThat(first.with(first)).isSameAs(first);
  }
}
