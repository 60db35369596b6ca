/**
 * The native priority of the carrier threads of virtual threads. It calls the C library, so it is a module of its own:
 * no other module needs native access ({@code --enable-native-access=dev.decant.carriers}).
 */
module dev.decant.carriers {
  requires static org.jspecify;

  exports dev.decant.carriers;
}
