/**
 * A cluster as an extension of JUnit Jupiter, 6.0 or newer. The other packages of the test kit do not use JUnit; its
 * API comes from the dependencies of the test.
 */
@NullMarked
package dev.decant.testkit.junit;

import org.jspecify.annotations.NullMarked;
