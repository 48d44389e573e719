"""The API over HTTP: whole lists of raw pages, or an error that says why not.

What a request goes through, one idea a module::

    request     an endpoint, an id and parameters, checked → path and query
    address     base URL, checked
    key         the API key: sent, never shown, never pickled
    transport   one request over the wire → status, headers, body
    connections sockets that belong to one process
    bodies      the body, unpacked and bounded
    deadline    reading that gives up in time
    hints       Retry-After and X-RateLimit-* → seconds
    quota       what the hints say of the service's quota
    gate        how many requests may be under way now
    answers     status and body → a page, or what is wrong with it
    fitting     whether the page is what was asked for
    retry       ask until the answer is good, or it is time to give up
    paging      pages → one list, proven complete
    workers     many lists at once, one shared bound
    session     all of that, as one process has it
    client      the front: `Client`
"""

from fleetkit.client.client import Client
from fleetkit.client.key import share

__all__ = ["Client", "share"]
