package dev.decant.rules;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathExpressionException;
import javax.xml.xpath.XPathFactory;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** What a POM says about its tests. */
final class SurefireSettings {
  /** Executions that run a test where it belongs; others run some of them once more, and may do so as they like. */
  private static final Set<String> HOMES = Set.of("default-test", "allocation");
  private static final Set<String> CHOICES = Set.of("skip", "skipTests", "skipExec", "test", "excludes", "excludesFile",
      "includesFile", "groups", "excludedGroups");
  private static final List<String> PROPERTIES = List.of("maven.test.skip", "skipTests", "surefire.skip", "test",
      "surefire.includes", "surefire.excludes", "groups", "excludedGroups", "decant.tests.groups",
      "decant.tests.excluded");
  private static final List<String> DEFAULT_INCLUDES = List.of("**/Test*.java", "**/*Test.java", "**/*Tests.java",
      "**/*TestCase.java");
  private static final String PLUGIN = "plugin[artifactId='maven-surefire-plugin']";

  private final Document pom;
  private final XPath paths = XPathFactory.newInstance().newXPath();

  private SurefireSettings(Document pom) {
    this.pom = pom;
  }

  static SurefireSettings of(Path module) throws IOException {
    try {
      return new SurefireSettings(
          DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(module.resolve("pom.xml").toFile()));
    } catch (ParserConfigurationException | SAXException e) {
      throw new IOException(module + "/pom.xml", e);
    }
  }

  private List<Element> elements(String path) {
    try {
      NodeList found = (NodeList) paths.evaluate(path, pom, XPathConstants.NODESET);
      List<Element> elements = new ArrayList<>();
      for (int i = 0; i < found.getLength(); i++) {
        elements.add((Element) found.item(i));
      }
      return elements;
    } catch (XPathExpressionException e) {
      throw new IllegalArgumentException(path, e);
    }
  }

  List<String> texts(String path) {
    return elements(path).stream().map(element -> element.getTextContent().strip()).toList();
  }

  /** Those of every build; modules of a profile are not among them. */
  List<String> modules() {
    return texts("/project/modules/module");
  }

  /** Settings of plugin and executions that have a say in which tests are run. */
  private List<Element> settings() {
    List<Element> settings = elements("//" + PLUGIN + "/configuration/*");
    for (Element execution : elements("//" + PLUGIN + "/executions/execution")) {
      List<Element> id = children(execution, "id");
      if (id.isEmpty() || HOMES.contains(id.getFirst().getTextContent().strip())) {
        children(execution, "phase").forEach(settings::add);
        children(execution, "configuration").forEach(each -> settings.addAll(children(each, "*")));
      }
    }
    return settings;
  }

  private static List<Element> children(Element parent, String name) {
    List<Element> children = new ArrayList<>();
    for (int i = 0; i < parent.getChildNodes().getLength(); i++) {
      if (parent.getChildNodes().item(i) instanceof Element child && Set.of("*", child.getTagName()).contains(name)) {
        children.add(child);
      }
    }
    return children;
  }

  /** What keeps tests from being run, by this POM's own decision. */
  List<String> obstacles() {
    List<String> obstacles = new ArrayList<>();
    for (Element setting : settings()) {
      String name = setting.getTagName();
      if (CHOICES.contains(name) || name.equals("phase")) {
        obstacles.add("<" + name + "> of surefire");
      } else if (name.equals("includes") && setting.getTextContent().contains("${")) {
        obstacles.add("<includes> of surefire that depend on a property");
      }
    }
    if (!elements("/project/profiles//" + PLUGIN + "//includes").isEmpty()) {
      obstacles.add("<includes> of surefire in a profile");
    }
    for (String property : PROPERTIES) {
      if (!elements("//properties/*[name()='" + property + "']").isEmpty()) {
        obstacles.add("the property " + property);
      }
    }
    return obstacles;
  }

  /** Whether surefire takes the file for a test. */
  boolean includes(String file) {
    List<String> own = new ArrayList<>();
    for (Element setting : settings()) {
      if (setting.getTagName().equals("includes")) {
        children(setting, "include").forEach(include -> own.add(include.getTextContent().strip()));
      }
    }
    // "**/" takes a file without a folder, too
    Path path = Path.of("any", file);
    return (own.isEmpty() ? DEFAULT_INCLUDES : own).stream()
        .anyMatch(pattern -> FileSystems.getDefault().getPathMatcher("glob:" + pattern).matches(path));
  }
}
