/** A program of somebody else's, in JVMs that the tests start. */
package app;
